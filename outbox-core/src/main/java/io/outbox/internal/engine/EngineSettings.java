package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** What an engine is built from, with the defaults of a dispatcher. Checked by whoever sets it. */
public final class EngineSettings {

  public ConnectionProvider connectionProvider;
  public OutboxStore outboxStore;
  public ListenerRegistry listenerRegistry;
  public InFlightTracker inFlightTracker = new DefaultInFlightTracker();
  public RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(200, 60_000);
  public final List<EventInterceptor> interceptors = new ArrayList<>();
  public MetricsExporter metrics = MetricsExporter.NOOP;
  public BiConsumer<EventEnvelope, String> onDead; // null: nobody wants to know
  public Clock clock = Clock.systemUTC();
  public String ownerId;
  public String node;
  public DeliveryMode mode;
  public Duration claimTimeout;
  public int maxAttempts = 10;
  public Duration maxAge;
  public Duration missingListenerGrace = Duration.ZERO;
  public int workerCount = 4;
  public int maxInFlight = 256;
  public Duration listenerTimeout;
  public int hotQueueCapacity = 1000;
  public int coldQueueCapacity = 1000;
  public long maxQueuedBytes = 64L * 1024 * 1024;
  public long drainTimeoutMs = 5000;
  public boolean checkRows;
  public boolean deleteOnDone;
  public boolean virtualThreads;

  /** How many events may be queued in all. */
  int queueCapacity() {
    return (int) Math.min(Integer.MAX_VALUE, (long) hotQueueCapacity + coldQueueCapacity);
  }
}
