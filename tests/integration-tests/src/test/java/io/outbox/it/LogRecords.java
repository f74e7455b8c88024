package io.outbox.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the outbox logs while this is open. */
final class LogRecords extends Handler implements AutoCloseable {

  private final Logger logger = Logger.getLogger("io.outbox"); // kept: loggers are held weakly
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  LogRecords() {
    logger.addHandler(this);
  }

  @Override
  public void publish(LogRecord logRecord) {
    records.add(logRecord);
  }

  boolean contain(String text) {
    return records.stream().anyMatch(logged -> String.valueOf(logged.getMessage()).contains(text));
  }

  long count(String text) {
    return records.stream()
        .filter(logged -> String.valueOf(logged.getMessage()).contains(text))
        .count();
  }

  List<LogRecord> all() {
    return List.copyOf(records);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
