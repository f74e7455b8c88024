package io.outbox.fakes;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Keeps what the library logs during a test; prints it only if the test fails. */
public final class CapturedLogs implements BeforeEachCallback, AfterEachCallback {

  private static final Logger LOGGER = Logger.getLogger("io.outbox");
  private static final List<LogRecord> RECORDS = new CopyOnWriteArrayList<>();

  static {
    LOGGER.setUseParentHandlers(false);
    LOGGER.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            RECORDS.add(entry);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
  }

  /** The messages that {@code type} has logged at {@code level} since the test began. */
  public static List<String> of(Class<?> type, Level level) {
    return RECORDS.stream()
        .filter(entry -> type.getName().equals(entry.getLoggerName()))
        .filter(entry -> entry.getLevel().equals(level))
        .map(LogRecord::getMessage)
        .toList();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    RECORDS.clear();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      SimpleFormatter formatter = new SimpleFormatter();
      RECORDS.forEach(entry -> System.err.print(formatter.format(entry)));
    }
  }
}
