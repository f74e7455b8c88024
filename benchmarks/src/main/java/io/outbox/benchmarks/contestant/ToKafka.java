package io.outbox.benchmarks.contestant;

import static org.apache.kafka.clients.producer.ProducerConfig.BOOTSTRAP_SERVERS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.publish.MessageFormat;
import io.outbox.registry.DefaultListenerRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Our outbox at its defaults, with a listener that sends to Kafka, or with one that does not. */
public final class ToKafka implements AutoCloseable {

  private static final int POOL = 10;

  /** What the outbox calls for each event. */
  public enum Listener {
    PIPELINED("KafkaPublisher, pipelined", "defaults: maxInFlight=256"),
    SEND_AND_GET("`send().get()` per event", "defaults: 4 workers; Kafka's defaults (acks=all)"),
    SEND_AT_ONCE("`send().get()`, linger.ms=0", "defaults: 4 workers; else Kafka's defaults"),
    NO_OP("no-op listener", "defaults: 4 workers; Kafka is not used");

    private final String title;
    private final String settings;

    Listener(String title, String settings) {
      this.title = title;
      this.settings = settings;
    }

    public String title() {
      return title;
    }

    public String settings() {
      return settings;
    }
  }

  private final Setup setup;
  private final String topic;
  private final OutboxTable table;
  private final HikariDataSource pool;
  private final LongAdder answered = new LongAdder();
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
  private final AutoCloseable client;

  public ToKafka(Setup setup, Listener listener, String servers, String topic) {
    this.setup = setup;
    this.topic = topic;
    this.table = new OutboxTable(setup);
    this.pool = setup.pool(POOL);
    this.client =
        switch (listener) {
          case PIPELINED -> pipelined(servers);
          case SEND_AND_GET -> waiting(Map.of(BOOTSTRAP_SERVERS_CONFIG, servers));
          case SEND_AT_ONCE ->
              waiting(Map.of(BOOTSTRAP_SERVERS_CONFIG, servers, LINGER_MS_CONFIG, 0));
          case NO_OP -> nothing();
        };
  }

  private AutoCloseable pipelined(String servers) {
    KafkaPublisher publisher =
        KafkaPublisher.builder().bootstrapServers(servers).destination(topic).build();
    listeners.registerDefaultAsync(
        event ->
            publisher.onEvent(event).whenComplete((result, failure) -> count(failure == null)));
    return publisher;
  }

  /** As one would write it without an asynchronous listener: Kafka's defaults promise the same. */
  private AutoCloseable waiting(Map<String, Object> config) {
    Producer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    listeners.registerDefault(
        event -> {
          producer.send(message(event)).get(30, TimeUnit.SECONDS);
          count(true);
          return DispatchResult.done();
        });
    return producer;
  }

  private ProducerRecord<byte[], byte[]> message(EventEnvelope event) {
    ProducerRecord<byte[], byte[]> message =
        new ProducerRecord<>(
            topic,
            event.partitionKeyOrDefault().getBytes(StandardCharsets.UTF_8),
            MessageFormat.body(event));
    MessageFormat.plain()
        .headers(event, "")
        .forEach(
            (name, value) -> message.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    return message;
  }

  private AutoCloseable nothing() {
    listeners.registerDefault(
        event -> {
          count(true);
          return DispatchResult.done();
        });
    return () -> {};
  }

  private void count(boolean sent) {
    if (sent) {
      answered.increment();
    }
  }

  /**
   * Lets so many events wait in the table, and has them delivered.
   *
   * @return events per second, from the start of delivery until all are finished in the database or
   *     the time is up
   */
  public double drain(int events, int bytes, int limitSeconds) throws SQLException {
    table.create();
    table.fillWaiting(0, events, bytes);
    setup.settle();
    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(limitSeconds);
    try (Outbox outbox = outbox()) {
      while ((answered.sum() < events || !table.isFinished()) && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      return (events - table.unfinished()) / seconds;
    }
  }

  private Outbox outbox() {
    return Outbox.singleNode()
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new ThreadLocalTxContext())
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(listeners)
        .build();
  }

  @Override
  public void close() throws Exception {
    client.close();
    pool.close();
    table.close();
  }
}
