package io.outbox;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.internal.Checks;
import io.outbox.internal.OwnerId;
import io.outbox.internal.VirtualThreads;
import io.outbox.internal.engine.DeliveryEngine;
import io.outbox.internal.engine.EngineSettings;
import io.outbox.internal.engine.EngineSink;
import io.outbox.internal.engine.KeyedEngine;
import io.outbox.internal.engine.KeyedHook;
import io.outbox.internal.engine.KeyedSettings;
import io.outbox.internal.hot.HotHook;
import io.outbox.internal.hot.WakingHook;
import io.outbox.operate.Condition;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.DeliveryMode;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes the parts of an outbox, starts them, and closes them in the opposite order: purge, poller,
 * dispatcher. What a failing start leaves behind is closed the same way.
 */
final class OutboxAssembly implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(OutboxAssembly.class);

  private final OutboxSettings settings;
  private final String mode; // for people
  private final Supplier<WriterHook> delivery;
  private final OutboxWriter waitingWriter;
  private final CurrentWriter writer;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Shared by all starts: a listener may outlive the stop that did not wait for it. */
  private final InFlightTracker tracker = new DefaultInFlightTracker();

  /** Of what delivers now. */
  private volatile Supplier<List<Condition>> conditions = List::of;

  /** Made at each start: a builder, and what an earlier start left behind, have other names. */
  private String owner;

  private volatile boolean running;
  private boolean closed;

  private OutboxAssembly(
      OutboxSettings settings, String mode, Function<OutboxAssembly, WriterHook> delivery) {
    this.settings = settings;
    this.mode = mode;
    this.delivery = () -> delivery.apply(this);
    this.waitingWriter = writer(WriterHook.NOOP);
    this.writer = new CurrentWriter(waitingWriter);
  }

  /** Delivers by the poller, and from the commit on if {@code hotPath}. */
  static Outbox delivering(OutboxSettings settings, DeliveryMode mode, boolean hotPath) {
    checkDelivering(settings);
    return build(
        settings,
        mode.toString(),
        assembly -> {
          DeliveryEngine engine = assembly.startEngine(mode);
          assembly.startPoller(engine);
          assembly.startPurge();
          return hotPath
              ? new HotHook(engine.hotPath(), engine.wakeUps(), assembly.settings.metrics)
              : new WakingHook(engine.wakeUps());
        });
  }

  private static void checkDelivering(OutboxSettings settings) {
    Checks.required("txContext", settings.txContext);
    Checks.required("outboxStore", settings.outboxStore);
    Checks.required("connectionProvider", settings.connectionProvider);
    Checks.required("listenerRegistry", settings.listenerRegistry);
    Checks.deleteOnDone(settings.deleteOnDone, settings.outboxStore);
    VirtualThreads.check(settings.virtualThreads);
  }

  /** Delivers the events of each key in order, from the lanes that this node owns. */
  static Outbox orderedByKey(OutboxSettings settings) {
    checkDelivering(settings);
    if (settings.outboxStore.lanes().isEmpty()) {
      throw new IllegalStateException(
          "orderedByKey() needs a store with lanes; " + settings.outboxStore + " has none");
    }
    if (Boolean.TRUE.equals(settings.notifications)
        && settings.outboxStore.lanes().get().signals().isEmpty()) {
      throw new IllegalStateException(
          "notifications(true) needs PostgreSQL; " + settings.outboxStore + " has none");
    }
    return build(
        settings,
        DeliveryMode.ORDERED_BY_KEY.toString(),
        assembly -> {
          KeyedEngine engine = assembly.startKeyedEngine();
          assembly.startPurge();
          return new KeyedHook(engine);
        });
  }

  private KeyedEngine startKeyedEngine() {
    KeyedEngine engine =
        KeyedEngine.start(
            engineSettings(DeliveryMode.ORDERED_BY_KEY),
            new KeyedSettings(
                owner,
                settings.laneLease,
                settings.laneHandover,
                settings.intervalMs,
                settings.blockAfterDead,
                !Boolean.FALSE.equals(settings.notifications)));
    parts.push(engine);
    conditions = engine::conditions;
    return engine;
  }

  static Outbox writerOnly(OutboxSettings settings) {
    Checks.required("txContext", settings.txContext);
    Checks.required("outboxStore", settings.outboxStore);
    if (settings.purger != null) {
      Checks.required("connectionProvider (the purger needs it)", settings.connectionProvider);
    }
    return build(
        settings,
        "writerOnly()",
        assembly -> {
          assembly.startPurge();
          return WriterHook.NOOP;
        });
  }

  private static Outbox build(
      OutboxSettings settings, String mode, Function<OutboxAssembly, WriterHook> delivery) {
    OutboxAssembly assembly = new OutboxAssembly(settings.copy(), mode, delivery);
    if (settings.autoStart) {
      assembly.start();
    }
    return new Outbox(assembly);
  }

  OutboxWriter writer() {
    return writer;
  }

  boolean isRunning() {
    return running;
  }

  List<Condition> conditions() {
    return conditions.get();
  }

  synchronized void start() {
    if (closed) {
      throw new IllegalStateException("the outbox was closed; build a new one");
    }
    if (running) {
      return;
    }
    owner = OwnerId.fresh(settings.ownerName);
    try {
      WriterHook hook = delivery.get();
      writer.use(writer(hook));
      running = true;
    } catch (Throwable failure) {
      stop();
      throw failure;
    }
    LOG.log(Level.INFO, () -> StartLine.of(mode, settings));
  }

  private OutboxWriter writer(WriterHook hook) {
    return new DefaultOutboxWriter(
        settings.txContext, settings.outboxStore, hook, settings.interceptors);
  }

  private DeliveryEngine startEngine(DeliveryMode mode) {
    EngineSettings engineSettings = engineSettings(mode);
    if (settings.claimTimeout != null) {
      engineSettings.ownerId = owner;
      engineSettings.claimTimeout = settings.claimTimeout;
    }
    DeliveryEngine engine = DeliveryEngine.start(engineSettings);
    parts.push(engine);
    conditions = engine::conditions;
    return engine;
  }

  private EngineSettings engineSettings(DeliveryMode mode) {
    EngineSettings result = new EngineSettings();
    result.node = owner;
    result.mode = mode;
    result.connectionProvider = settings.connectionProvider;
    result.outboxStore = settings.outboxStore;
    result.listenerRegistry = settings.listenerRegistry;
    result.interceptors.addAll(settings.interceptors);
    result.inFlightTracker = tracker;
    result.metrics = settings.metrics;
    result.onDead = settings.onDead;
    result.clock = settings.clock;
    result.workerCount = settings.workerCount;
    result.maxInFlight = settings.maxInFlight;
    result.listenerTimeout = settings.listenerTimeout;
    result.hotQueueCapacity = settings.hotQueueCapacity;
    result.coldQueueCapacity = settings.coldQueueCapacity;
    result.maxQueuedBytes = settings.maxQueuedBytes;
    result.maxAttempts = settings.maxAttempts;
    result.maxAge = settings.maxAge;
    result.retryPolicy = settings.retryPolicy;
    result.drainTimeoutMs = settings.drainTimeoutMs;
    result.checkRows = settings.checkRowsBeforeHotDelivery;
    result.deleteOnDone = settings.deleteOnDone;
    result.virtualThreads = settings.virtualThreads;
    if (!mode.isForOneProcess()) {
      result.missingListenerGrace = settings.missingListenerGrace;
    }
    return result;
  }

  private void startPoller(DeliveryEngine engine) {
    OutboxPoller.Builder builder =
        OutboxPoller.builder()
            .connectionProvider(settings.connectionProvider)
            .outboxStore(settings.outboxStore)
            .handler(new EngineSink(engine))
            .metrics(settings.metrics)
            .intervalMs(settings.intervalMs)
            .batchSize(settings.batchSize)
            .skipRecent(settings.skipRecent);
    if (settings.claimTimeout != null) {
      builder.claimLocking(owner, settings.claimTimeout);
    }
    OutboxPoller poller = builder.build();
    parts.push(poller);
    poller.start();
  }

  private void startPurge() {
    if (settings.purger == null) {
      return;
    }
    OutboxPurgeScheduler scheduler =
        OutboxPurgeScheduler.builder()
            .connectionProvider(settings.connectionProvider)
            .purger(settings.purger)
            .outboxStore(settings.outboxStore)
            .retention(settings.purgeRetention)
            .batchSize(settings.purgeBatchSize)
            .intervalSeconds(settings.purgeIntervalSeconds)
            .clock(settings.clock)
            .build();
    parts.push(scheduler);
    scheduler.start();
  }

  @Override
  public synchronized void close() {
    closed = true;
    stop();
  }

  synchronized void stop() {
    running = false;
    writer.use(waitingWriter);
    conditions = List::of;
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Throwable e) {
        LOG.log(Level.ERROR, () -> "closing " + part.getClass().getSimpleName() + " failed", e);
      }
    }
  }
}
