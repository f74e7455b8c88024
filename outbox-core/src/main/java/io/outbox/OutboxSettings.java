package io.outbox;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.OwnerId;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** What the builders of {@link Outbox} collect, with the defaults. */
final class OutboxSettings implements Cloneable {

  ConnectionProvider connectionProvider;
  TxContext txContext;
  OutboxStore outboxStore;
  ListenerRegistry listenerRegistry;

  MetricsExporter metrics = MetricsExporter.NOOP;
  List<EventInterceptor> interceptors = new ArrayList<>();
  BiConsumer<EventEnvelope, String> onDead; // null: nobody wants to know
  Clock clock = Clock.systemUTC();

  long intervalMs = 5000;
  int batchSize = 50;
  Duration skipRecent = Duration.ZERO;
  String ownerName = OwnerId.ofThisProcess();
  Duration claimTimeout; // null: without claim locking

  Duration laneLease = Duration.ofSeconds(15);
  Duration laneHandover = Duration.ofSeconds(10);
  boolean blockAfterDead;
  Boolean notifications; // null: on where the database has them

  int workerCount = 4;
  int maxInFlight = 256;
  Duration listenerTimeout; // null: none
  int hotQueueCapacity = 1000;
  int coldQueueCapacity = 1000;
  long maxQueuedBytes = 64L * 1024 * 1024;
  int maxAttempts = 10;
  Duration maxAge; // null: none
  Duration missingListenerGrace = Duration.ofMinutes(5); // where there may be other nodes
  RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(200, 60_000);
  long drainTimeoutMs = 5000;
  boolean autoStart = true;
  boolean checkRowsBeforeHotDelivery;
  boolean deleteOnDone;
  boolean virtualThreads;

  EventPurger purger; // null: nothing is purged
  Duration purgeRetention = Duration.ofDays(7);
  int purgeBatchSize = 500;
  long purgeIntervalSeconds = 3600;

  /** For an outbox that is built: what is done to its builder afterwards is no concern of its. */
  OutboxSettings copy() {
    try {
      OutboxSettings copy = (OutboxSettings) clone();
      copy.interceptors = new ArrayList<>(interceptors);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }
}
