package io.outbox;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.engine.DeliveryEngine;
import io.outbox.internal.engine.EngineQueue;
import io.outbox.internal.engine.KeyedHook;
import io.outbox.internal.engine.KeyedQueue;
import io.outbox.internal.engine.PolledQueue;
import io.outbox.internal.hot.HotHook;
import io.outbox.internal.hot.WakingHook;
import io.outbox.internal.poll.SinkHandler;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.subscribe.SubscribedDelivery;
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
  private final CurrentWriter writer;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Of what delivers now. */
  private volatile Supplier<List<Condition>> conditions = List::of;

  private SubscribedDelivery subscribed; // null: nothing delivers

  private volatile boolean running;
  private boolean closed;

  private OutboxAssembly(
      OutboxSettings settings, String mode, Function<OutboxAssembly, WriterHook> delivery) {
    this.settings = settings;
    this.mode = mode;
    this.delivery = () -> delivery.apply(this);
    this.writer = new CurrentWriter(settings);
  }

  /** Delivers by the poller, and from the commit on if {@code hotPath}. */
  static Outbox delivering(OutboxSettings settings, DeliveryMode mode, boolean hotPath) {
    settings.checkWriting();
    settings.checkDelivery();
    return build(
        settings,
        mode.toString(),
        assembly -> {
          OutboxSettings start = assembly.settingsOf(mode);
          PolledQueue queue = assembly.runs(DeliveryEngine.polled(start));
          assembly.startPoller(queue, start);
          assembly.startPurge();
          return hotPath
              ? new HotHook(queue.hotPath(), queue.wakeUps(), start.metrics)
              : new WakingHook(queue.wakeUps());
        });
  }

  /** Delivers the events of each key in order, from the lanes that this node owns. */
  static Outbox orderedByKey(OutboxSettings settings) {
    settings.checkWriting();
    settings.checkDelivery();
    settings.checkOrderByKey();
    return build(
        settings,
        DeliveryMode.ORDERED_BY_KEY.toString(),
        assembly -> {
          OutboxSettings start = assembly.settingsOf(DeliveryMode.ORDERED_BY_KEY);
          KeyedQueue queue = assembly.runs(DeliveryEngine.keyed(start));
          assembly.startPurge();
          return new KeyedHook(queue.commits(), true);
        });
  }

  static Outbox writerOnly(OutboxSettings settings) {
    settings.checkWriting();
    settings.checkPurge();
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
    OutboxSettings own = settings.copy();
    // Shared by all starts: a listener may outlive the stop that did not wait for it.
    own.inFlightTracker(new DefaultInFlightTracker());
    OutboxAssembly assembly = new OutboxAssembly(own, mode, delivery);
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
    try {
      writer.use(delivery.get());
      if (subscribed != null) {
        subscribed.start();
      }
      running = true;
    } catch (Throwable failure) {
      stop();
      throw failure;
    }
    LOG.log(Level.INFO, () -> StartLine.of(mode, settings));
  }

  /** For one start; copies for subscriptions are made when there is a writer for them. */
  private OutboxSettings settingsOf(DeliveryMode delivers) {
    OutboxSettings start = settings.start(delivers);
    subscribed = started(SubscribedDelivery.of(start, writer::steps));
    start.listenerRegistry = subscribed.registry();
    return start;
  }

  private <T extends AutoCloseable> T started(T part) {
    parts.push(part);
    return part;
  }

  private <D extends Delivery, Q extends EngineQueue<D>> Q runs(DeliveryEngine<D, Q> engine) {
    conditions = engine::conditions;
    engine.watch(subscribed.calls());
    return started(engine).queue();
  }

  private void startPoller(PolledQueue queue, OutboxSettings start) {
    OutboxPoller.Builder builder =
        OutboxPoller.builder()
            .connectionProvider(start.connectionProvider)
            .outboxStore(start.outboxStore)
            .handler(new SinkHandler(queue.sink()))
            .metrics(start.metrics)
            .intervalMs(start.intervalMs)
            .batchSize(start.batchSize)
            .skipRecent(start.skipRecent);
    if (start.ownerId != null) {
      builder.claimLocking(start.ownerId, start.claimTimeout);
    }
    started(builder.build()).start();
  }

  private void startPurge() {
    if (settings.purger == null) {
      return;
    }
    started(
            OutboxPurgeScheduler.builder()
                .connectionProvider(settings.connectionProvider)
                .purger(settings.purger)
                .outboxStore(settings.outboxStore)
                .retention(settings.purgeRetention)
                .batchSize(settings.purgeBatchSize)
                .intervalSeconds(settings.purgeIntervalSeconds)
                .clock(settings.clock)
                .build())
        .start();
  }

  @Override
  public synchronized void close() {
    closed = true;
    stop();
  }

  synchronized void stop() {
    running = false;
    writer.use(WriterHook.NOOP);
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
