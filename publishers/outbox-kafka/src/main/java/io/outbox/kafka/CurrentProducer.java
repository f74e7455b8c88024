package io.outbox.kafka;

import io.outbox.OutageException;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;

/**
 * The producer to send with. If Kafka's client has given up the publisher's own producer, it is
 * replaced, at intervals, until one works. Thread-safe.
 */
final class CurrentProducer implements AutoCloseable {

  /** The reason may last, and a producer is not cheap. */
  static final Duration RENEWAL_PAUSE = Duration.ofSeconds(1);

  private static final Logger LOG = PrintableLogger.of(KafkaPublisher.class);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

  private final Supplier<Producer<byte[], byte[]>> factory; // null: the producer is not ours
  private final LongSupplier nanoTime;
  private volatile Producer<byte[], byte[]> producer;
  private volatile Producer<byte[], byte[]> over; // the last one that was given up
  private long renewedNanos;
  private boolean closed;

  private CurrentProducer(
      Producer<byte[], byte[]> producer,
      Supplier<Producer<byte[], byte[]>> factory,
      LongSupplier nanoTime) {
    this.producer = producer;
    this.factory = factory;
    this.nanoTime = nanoTime;
    this.renewedNanos = nanoTime.getAsLong();
  }

  /** One that somebody else closes, and replaces if need be. */
  static CurrentProducer given(Producer<byte[], byte[]> producer) {
    return new CurrentProducer(producer, null, System::nanoTime);
  }

  static CurrentProducer own(Supplier<Producer<byte[], byte[]>> factory) {
    return own(factory, System::nanoTime);
  }

  static CurrentProducer own(Supplier<Producer<byte[], byte[]>> factory, LongSupplier nanoTime) {
    return new CurrentProducer(factory.get(), factory, nanoTime);
  }

  /**
   * The producer, replaced now if need be.
   *
   * @throws OutageException if there cannot be another one at the moment
   */
  Producer<byte[], byte[]> get() {
    if (over == producer) {
      renew();
    }
    return producer;
  }

  /** This one will never work again. */
  void isOver(Producer<byte[], byte[]> which) {
    over = which;
  }

  private synchronized void renew() {
    long now = nanoTime.getAsLong();
    boolean toBeRenewed = factory != null && over == producer && !closed;
    if (!toBeRenewed || now - renewedNanos < RENEWAL_PAUSE.toNanos()) {
      return;
    }
    renewedNanos = now;
    Producer<byte[], byte[]> old = producer;
    try {
      producer = factory.get();
    } catch (RuntimeException e) {
      throw new OutageException("cannot replace the Kafka producer: " + e.getMessage(), e);
    }
    LOG.log(Level.WARNING, "replaced the Kafka producer, which its client had given up");
    // Closing joins the producer's thread; a sender should not wait for that.
    new DaemonThreadFactory("outbox-kafka-close-")
        .newThread(() -> old.close(Duration.ZERO))
        .start();
  }

  /** Waits a little for what is on its way; does nothing to a producer that is not ours. */
  @Override
  public void close() {
    Producer<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = producer;
    }
    if (factory != null) {
      last.close(CLOSE_PATIENCE);
    }
  }
}
