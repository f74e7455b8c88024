package io.outbox.relay;

import io.outbox.relay.yaml.Secrets;
import io.outbox.util.Printable;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Logging of the whole process: one line per message, without secrets and control characters, on
 * one stream.
 */
final class RelayLog extends Handler {

  /** Warns of a broker that is down each time it tries; of that we warn ourselves, less often. */
  private static final String EVERY_SECOND = "org.apache.kafka.clients.NetworkClient";

  /** Kept, or a level that was set could be forgotten. */
  private static List<Logger> loggers = List.of();

  private final PrintStream stream;

  private RelayLog(PrintStream stream, Secrets secrets) {
    this.stream = stream;
    setFormatter(new LineFormat(secrets));
  }

  static synchronized RelayLog install(LogLevel level, Secrets secrets, PrintStream stream) {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    RelayLog log = new RelayLog(stream, secrets);
    root.addHandler(log);
    root.setLevel(level.others());
    Logger ours = Logger.getLogger("io.outbox");
    ours.setLevel(level.ours());
    Logger kafka = Logger.getLogger(EVERY_SECOND);
    kafka.setLevel(level.others() == Level.WARNING ? Level.SEVERE : level.others());
    loggers = List.of(root, ours, kafka);
    return log;
  }

  /** Says something while the process ends, when loggers have lost their handlers already. */
  void say(Level level, String message) {
    LogRecord line = new LogRecord(level, message);
    line.setLoggerName(Relay.class.getName());
    publish(line);
  }

  @Override
  public void publish(LogRecord message) {
    if (isLoggable(message)) {
      stream.print(getFormatter().format(message));
      stream.flush();
    }
  }

  @Override
  public void flush() {
    stream.flush();
  }

  /** The stream is not ours. */
  @Override
  public void close() {}

  private static final class LineFormat extends Formatter {

    private final Secrets secrets;

    LineFormat(Secrets secrets) {
      this.secrets = secrets;
    }

    @Override
    public String format(LogRecord message) {
      StringWriter text = new StringWriter();
      PrintWriter line = new PrintWriter(text);
      line.printf(
          "%s %-7s %s: %s%n",
          message.getInstant().truncatedTo(ChronoUnit.MILLIS),
          message.getLevel().getName(),
          simple(message.getLoggerName()),
          Printable.line(String.valueOf(formatMessage(message))));
      if (message.getThrown() != null) {
        Printable.thrown(message.getThrown()).printStackTrace(line);
      }
      return secrets.redact(text.toString());
    }

    private static String simple(String logger) {
      return logger == null ? "" : logger.substring(logger.lastIndexOf('.') + 1);
    }
  }
}
