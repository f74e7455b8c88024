package io.outbox.internal.settings;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.Checks;
import io.outbox.internal.OwnerId;
import io.outbox.internal.VirtualThreads;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * All settings of an outbox, its dispatcher, poller and purge, with their defaults and checks.
 * Every builder collects one of these; the engine reads the fields. Builders write through the
 * methods, which check.
 */
public final class OutboxSettings implements Cloneable {

  public ConnectionProvider connectionProvider;
  public TxContext txContext;
  public OutboxStore outboxStore;
  public ListenerRegistry listenerRegistry;
  public MetricsExporter metrics = MetricsExporter.NOOP;
  public List<EventInterceptor> interceptors = new ArrayList<>();
  public InFlightTracker inFlightTracker = new DefaultInFlightTracker();
  public BiConsumer<EventEnvelope, String> onDead; // null: nobody wants to know
  public Clock clock = Clock.systemUTC();
  public boolean autoStart = true;

  public DeliveryMode mode; // null: takes no notice of other nodes
  public String node; // null: made of host and process
  public String ownerId; // null: without claim locking
  public Duration claimTimeout; // null: without claim locking
  public Duration missingListenerGrace = Duration.ofMinutes(5); // where there may be other nodes

  public long intervalMs = 5000;
  public int batchSize = 50;
  public Duration skipRecent = Duration.ZERO;

  public int workerCount = 4;
  public int maxInFlight = 256;
  public Duration listenerTimeout; // null: none
  public int hotQueueCapacity = 1000;
  public int coldQueueCapacity = 1000;
  public long maxQueuedBytes = 64L * 1024 * 1024;
  public int maxAttempts = 10;
  public Duration maxAge; // null: none
  public RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(200, 60_000);
  public long drainTimeoutMs = 5000;
  public boolean checkRowsBeforeHotDelivery;
  public boolean deleteOnDone;
  public boolean virtualThreads;

  public Duration laneLease = Duration.ofSeconds(15);
  public Duration laneHandover = Duration.ofSeconds(10);
  public boolean blockAfterDead;
  public Boolean notifications; // null: on where the database has them

  public EventPurger purger; // null: nothing is purged
  public Duration purgeRetention = Duration.ofDays(7);
  public int purgeBatchSize = 500;
  public long purgeIntervalSeconds = 3600;

  public void connectionProvider(ConnectionProvider value) {
    connectionProvider = Objects.requireNonNull(value, "connectionProvider");
  }

  public void txContext(TxContext value) {
    txContext = Objects.requireNonNull(value, "txContext");
  }

  public void outboxStore(OutboxStore value) {
    outboxStore = Objects.requireNonNull(value, "outboxStore");
  }

  public void listenerRegistry(ListenerRegistry value) {
    listenerRegistry = Objects.requireNonNull(value, "listenerRegistry");
  }

  public void metrics(MetricsExporter value) {
    metrics = Objects.requireNonNull(value, "metrics");
  }

  public void interceptor(EventInterceptor value) {
    interceptors.add(Objects.requireNonNull(value, "interceptor"));
  }

  public void interceptors(List<EventInterceptor> values) {
    Objects.requireNonNull(values, "interceptors").forEach(this::interceptor);
  }

  public void inFlightTracker(InFlightTracker value) {
    inFlightTracker = Objects.requireNonNull(value, "inFlightTracker");
  }

  public void onDead(BiConsumer<EventEnvelope, String> value) {
    onDead = Objects.requireNonNull(value, "onDead");
  }

  public void clock(Clock value) {
    clock = Objects.requireNonNull(value, "clock");
  }

  public void node(String name) {
    node = OwnerId.checked(name);
  }

  /** A random part that the owner has already stays: poller and dispatcher may share one. */
  public void claimLocking(String owner, Duration timeout) {
    OwnerId.checked(owner);
    ownerId = owner;
    claimTimeout = Checks.claimTimeout(timeout);
  }

  public void missingListenerGrace(Duration value) {
    missingListenerGrace = Checks.notNegative("missingListenerGrace", value);
  }

  public void intervalMs(long value) {
    intervalMs = Checks.atLeast(1, "intervalMs", value);
  }

  public void batchSize(int value) {
    batchSize = Checks.atLeast(1, "batchSize", value);
  }

  public void skipRecent(Duration value) {
    skipRecent = Checks.notNegative("skipRecent", value);
  }

  public void workerCount(int value) {
    workerCount = Checks.atLeast(1, "workerCount", value);
  }

  public void maxInFlight(int value) {
    maxInFlight = Checks.atLeast(1, "maxInFlight", value);
  }

  public void listenerTimeout(Duration value) {
    listenerTimeout = Checks.positive("listenerTimeout", value);
  }

  public void hotQueueCapacity(int value) {
    hotQueueCapacity = Checks.atLeast(1, "hotQueueCapacity", value);
  }

  public void coldQueueCapacity(int value) {
    coldQueueCapacity = Checks.atLeast(1, "coldQueueCapacity", value);
  }

  public void maxQueuedBytes(long value) {
    maxQueuedBytes = Checks.atLeast(1, "maxQueuedBytes", value);
  }

  public void maxAttempts(int value) {
    maxAttempts = Checks.atLeast(1, "maxAttempts", value);
  }

  public void maxAge(Duration value) {
    maxAge = Checks.positive("maxAge", value);
  }

  public void retryPolicy(RetryPolicy value) {
    retryPolicy = Objects.requireNonNull(value, "retryPolicy");
  }

  public void drainTimeoutMs(long value) {
    drainTimeoutMs = Checks.atLeast(0, "drainTimeoutMs", value);
  }

  public void laneLease(Duration value) {
    laneLease = Checks.laneLease(value);
  }

  public void laneHandover(Duration value) {
    laneHandover = Checks.positive("laneHandover", value);
  }

  public void purger(EventPurger value) {
    purger = Objects.requireNonNull(value, "purger");
  }

  public void purgeRetention(Duration value) {
    purgeRetention = Checks.notNegative("purgeRetention", value);
  }

  public void purgeBatchSize(int value) {
    purgeBatchSize = Checks.atLeast(1, "purgeBatchSize", value);
  }

  public void purgeIntervalSeconds(long value) {
    purgeIntervalSeconds = Checks.atLeast(1, "purgeIntervalSeconds", value);
  }

  /** What every engine needs. */
  public void checkDelivery() {
    Checks.required("connectionProvider", connectionProvider);
    Checks.required("outboxStore", outboxStore);
    Checks.required("listenerRegistry", listenerRegistry);
    Checks.deleteOnDone(deleteOnDone, outboxStore);
    VirtualThreads.check(virtualThreads);
  }

  /** What writing needs. */
  public void checkWriting() {
    Checks.required("txContext", txContext);
    Checks.required("outboxStore", outboxStore);
  }

  /** What purging needs, if there is a purger. */
  public void checkPurge() {
    if (purger != null) {
      Checks.required("connectionProvider (the purger needs it)", connectionProvider);
    }
  }

  /** What order by key needs of its store. */
  public void checkOrderByKey() {
    if (outboxStore.lanes().isEmpty()) {
      throw new IllegalStateException(
          "orderedByKey() needs a store with lanes; " + outboxStore + " has none");
    }
    if (Boolean.TRUE.equals(notifications) && outboxStore.lanes().get().signals().isEmpty()) {
      throw new IllegalStateException(
          "notifications(true) needs PostgreSQL; " + outboxStore + " has none");
    }
  }

  /** How many events may be queued in all. */
  public int queueCapacity() {
    return (int) Math.min(Integer.MAX_VALUE, (long) hotQueueCapacity + coldQueueCapacity);
  }

  /** Later changes to the builder do not affect the copy. */
  public OutboxSettings copy() {
    try {
      OutboxSettings copy = (OutboxSettings) clone();
      copy.interceptors = new ArrayList<>(interceptors);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * For one start. It gets a new name: a builder, and what an earlier start left behind, have
   * others.
   */
  public OutboxSettings start(DeliveryMode delivery) {
    OutboxSettings start = copy();
    String name = ownerId == null ? node : ownerId;
    start.node = OwnerId.fresh(name == null ? OwnerId.ofThisProcess() : name);
    start.ownerId = ownerId == null ? null : start.node;
    start.mode = delivery;
    if (delivery.isForOneProcess()) {
      start.missingListenerGrace = Duration.ZERO;
    }
    return start;
  }
}
