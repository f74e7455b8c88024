package io.outbox.util;

import java.util.Date;
import java.util.Objects;
import java.util.ResourceBundle;
import java.util.function.Supplier;

/**
 * A logger of the platform whose messages and exceptions are {@linkplain Printable harmless}: an
 * event's type, key or error cannot forge a line or steer a terminal. An exception of the logger
 * itself is ignored: no work ends because it could not be logged. Thread-safe.
 */
public final class PrintableLogger implements System.Logger {

  private final System.Logger logger;

  private PrintableLogger(System.Logger logger) {
    this.logger = logger;
  }

  /** The logger with the name of this class. */
  public static System.Logger of(Class<?> type) {
    return named(type.getName());
  }

  /** The logger with this name. */
  public static System.Logger named(String name) {
    return over(System.getLogger(Objects.requireNonNull(name, "name")));
  }

  static System.Logger over(System.Logger logger) {
    return new PrintableLogger(Objects.requireNonNull(logger, "logger"));
  }

  @Override
  public String getName() {
    return logger.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return logger.isLoggable(level);
  }

  @Override
  public void log(Level level, String message) {
    attempt(level, () -> logger.log(level, line(message)));
  }

  @Override
  public void log(Level level, Supplier<String> message) {
    Objects.requireNonNull(message, "message");
    attempt(level, () -> logger.log(level, line(message.get())));
  }

  @Override
  public void log(Level level, Object message) {
    Objects.requireNonNull(message, "message");
    attempt(level, () -> logger.log(level, line(message.toString())));
  }

  @Override
  public void log(Level level, String message, Throwable thrown) {
    attempt(level, () -> logger.log(level, line(message), PrintableThrowable.of(thrown)));
  }

  @Override
  public void log(Level level, Supplier<String> message, Throwable thrown) {
    Objects.requireNonNull(message, "message");
    attempt(level, () -> logger.log(level, line(message.get()), PrintableThrowable.of(thrown)));
  }

  @Override
  public void log(Level level, String format, Object... parameters) {
    log(level, (ResourceBundle) null, format, parameters);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    attempt(level, () -> logger.log(level, bundle, line(message), PrintableThrowable.of(thrown)));
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
    attempt(level, () -> logger.log(level, bundle, line(format), harmless(parameters)));
  }

  private void attempt(Level level, Runnable log) {
    try {
      if (isLoggable(level)) {
        log.run();
      }
    } catch (Throwable e) {
      // A handler, an exception's own text, or no memory left; there is nobody to tell.
    }
  }

  private static Object[] harmless(Object[] parameters) {
    if (parameters == null) {
      return null;
    }
    Object[] harmless = parameters.clone();
    for (int i = 0; i < harmless.length; i++) {
      Object each = harmless[i];
      boolean formatted = each == null || each instanceof Number || each instanceof Date;
      harmless[i] = formatted ? each : line(each.toString());
    }
    return harmless;
  }

  private static String line(String text) {
    return text == null ? null : Printable.line(text);
  }
}
