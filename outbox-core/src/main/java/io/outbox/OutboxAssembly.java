package io.outbox;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.dispatch.OrderedDispatcher;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.internal.Checks;
import io.outbox.internal.OwnerId;
import io.outbox.internal.VirtualThreads;
import io.outbox.model.DeliveryMode;
import io.outbox.operate.Condition;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
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
          OutboxDispatcher dispatcher = assembly.startDispatcher(mode);
          assembly.startPoller(dispatcher);
          assembly.startPurge();
          return hotPath
              ? new DispatcherWriterHook(dispatcher, assembly.settings.metrics)
              : DispatcherWriterHook.wakingOnly(dispatcher);
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
          OrderedDispatcher dispatcher = assembly.startOrderedDispatcher();
          assembly.startPurge();
          return dispatcher.writerHook();
        });
  }

  private OrderedDispatcher startOrderedDispatcher() {
    OrderedDispatcher dispatcher =
        OrderedDispatcher.start(
            dispatcherSettings(DeliveryMode.ORDERED_BY_KEY),
            new OrderedDispatcher.Settings(
                owner,
                settings.laneLease,
                settings.laneHandover,
                settings.intervalMs,
                settings.blockAfterDead,
                !Boolean.FALSE.equals(settings.notifications)));
    parts.push(dispatcher);
    conditions = dispatcher::conditions;
    return dispatcher;
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

  private OutboxDispatcher startDispatcher(DeliveryMode mode) {
    OutboxDispatcher.Builder builder = dispatcherSettings(mode);
    if (settings.claimTimeout != null) {
      builder.claimLocking(owner, settings.claimTimeout);
    }
    OutboxDispatcher dispatcher = builder.build();
    parts.push(dispatcher);
    conditions = dispatcher::conditions;
    return dispatcher;
  }

  private OutboxDispatcher.Builder dispatcherSettings(DeliveryMode mode) {
    OutboxDispatcher.Builder builder =
        OutboxDispatcher.builder()
            .member(owner, mode)
            .connectionProvider(settings.connectionProvider)
            .outboxStore(settings.outboxStore)
            .listenerRegistry(settings.listenerRegistry)
            .interceptors(settings.interceptors)
            .inFlightTracker(tracker)
            .metrics(settings.metrics)
            .clock(settings.clock)
            .workerCount(settings.workerCount)
            .maxInFlight(settings.maxInFlight)
            .hotQueueCapacity(settings.hotQueueCapacity)
            .coldQueueCapacity(settings.coldQueueCapacity)
            .maxQueuedBytes(settings.maxQueuedBytes)
            .maxAttempts(settings.maxAttempts)
            .retryPolicy(settings.retryPolicy)
            .drainTimeoutMs(settings.drainTimeoutMs)
            .checkRowsBeforeHotDelivery(settings.checkRowsBeforeHotDelivery)
            .deleteOnDone(settings.deleteOnDone)
            .virtualThreads(settings.virtualThreads);
    if (!mode.isForOneProcess()) {
      builder.missingListenerGrace(settings.missingListenerGrace);
    }
    if (settings.listenerTimeout != null) {
      builder.listenerTimeout(settings.listenerTimeout);
    }
    if (settings.maxAge != null) {
      builder.maxAge(settings.maxAge);
    }
    if (settings.onDead != null) {
      builder.onDead(settings.onDead);
    }
    return builder;
  }

  private void startPoller(OutboxDispatcher dispatcher) {
    OutboxPoller.Builder builder =
        OutboxPoller.builder()
            .connectionProvider(settings.connectionProvider)
            .outboxStore(settings.outboxStore)
            .handler(new DispatcherPollerHandler(dispatcher))
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
