package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.connect.source.SourceRecord;
import org.awaitility.Awaitility;

/**
 * A documented connector in this JVM, where Kafka Connect would run it. What differs is where the
 * database is, and where the connector keeps what it remembers.
 */
final class Connector implements AutoCloseable {

  private static final Path DOCS = Path.of(System.getProperty("basedir", ""), "../../docs/cdc");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final List<Message> messages = new CopyOnWriteArrayList<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Message.Format format;
  private final DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine;
  private volatile String failure;

  Connector(String file, Map<String, String> place, Path memory) {
    Properties properties = documented(file);
    properties.putAll(place);
    properties.keySet().removeIf(key -> key.toString().startsWith("schema.history.internal.kafka"));
    properties.putAll(
        Map.of(
            "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
            "offset.storage.file.filename", memory.resolve("offsets").toString(),
            "offset.flush.interval.ms", "0",
            "schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename", memory.resolve("history").toString()));
    format = new Message.Format(properties);
    engine =
        DebeziumEngine.create(Connect.class)
            .using(properties)
            .using((success, message, error) -> failure = success ? null : reasons(message, error))
            .notifying(event -> receive(event.value()))
            .build();
    thread.execute(engine);
  }

  static Properties documented(String file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(DOCS.resolve(file))) {
      properties.load(reader);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String sql(String file) {
    try {
      return Files.readString(DOCS.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String reasons(String message, Throwable error) {
    StringBuilder reasons = new StringBuilder(message);
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      reasons.append("\n  because of ").append(cause);
    }
    return reasons.toString();
  }

  private void receive(SourceRecord record) {
    if (!record.topic().startsWith("__debezium-heartbeat")) {
      messages.add(format.message(record));
    }
  }

  List<Message> messages() {
    return messages;
  }

  /** Waits for a message, and so for all that were committed before it. */
  Message await(String eventId) {
    awaitTrue(() -> messages.stream().anyMatch(message -> eventId.equals(message.id())));
    return messages.stream().filter(message -> eventId.equals(message.id())).findFirst().get();
  }

  void awaitCount(int count) {
    awaitTrue(() -> messages.size() >= count);
  }

  private void awaitTrue(BooleanSupplier condition) {
    Awaitility.await().atMost(PATIENCE).until(() -> failure != null || condition.getAsBoolean());
    assertThat(failure).as("the end of the connector").isNull();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    engine.close();
    thread.shutdown();
    assertThat(thread.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }
}
