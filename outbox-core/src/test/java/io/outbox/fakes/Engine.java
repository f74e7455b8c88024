package io.outbox.fakes;

import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.EngineOf;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.internal.engine.PolledQueue;
import io.outbox.poller.OutboxPoller;
import io.outbox.spi.OutboxStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A dispatcher and a poller on a fake database, with one listener for everything. */
public final class Engine implements AutoCloseable {

  /** Long enough that only a wake-up explains a second poll. */
  public static final long NEVER_MS = 60_000;

  public final FakeDatabase database = new FakeDatabase();
  public final FakeStore store;
  public final FakeTx tx = new FakeTx(database);
  public final RecordingMetrics metrics = new RecordingMetrics();
  public final OutboxDispatcher.Builder dispatcherSettings;
  public final OutboxPoller.Builder pollerSettings;
  private final List<String> delivered = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> parts = new ArrayList<>();
  private volatile EventListener listener = event -> null;
  private OutboxDispatcher dispatcher;
  private OutboxPoller poller;
  private OutboxWriter writer;

  public Engine() {
    this(Clock.systemUTC());
  }

  public Engine(Clock clock) {
    store = new FakeStore(database, clock);
    dispatcherSettings =
        OutboxDispatcher.builder()
            .connectionProvider(database)
            .outboxStore(store)
            .listenerRegistry((aggregate, type) -> this::deliver)
            .metrics(metrics)
            .clock(clock)
            .drainTimeoutMs(200);
    pollerSettings =
        OutboxPoller.builder()
            .connectionProvider(database)
            .outboxStore(store)
            .metrics(metrics)
            .clock(clock)
            .intervalMs(NEVER_MS);
  }

  private io.outbox.DispatchResult deliver(EventEnvelope event) throws Exception {
    delivered.add(event.eventId());
    return listener.onEvent(event);
  }

  public Engine listener(EventListener value) {
    listener = value;
    return this;
  }

  public Engine store(OutboxStore value) {
    dispatcherSettings.outboxStore(value);
    pollerSettings.outboxStore(value);
    return this;
  }

  public Engine claiming(Duration timeout) {
    dispatcherSettings.claimLocking("node", timeout);
    pollerSettings.claimLocking("node", timeout);
    return this;
  }

  /** Builds the dispatcher, a writer on its hot path, and a poller that is not started. */
  public Engine build() {
    dispatcher = dispatcherSettings.build();
    poller = pollerSettings.handler(new DispatcherPollerHandler(dispatcher)).build();
    writer = new DefaultOutboxWriter(tx, store, new DispatcherWriterHook(dispatcher, metrics));
    parts.add(poller);
    parts.add(dispatcher);
    return this;
  }

  public Engine start() {
    build();
    poller.start();
    return this;
  }

  public OutboxDispatcher dispatcher() {
    return dispatcher;
  }

  /** What is behind the dispatcher. */
  public PolledQueue engine() {
    return EngineOf.dispatcher(dispatcher);
  }

  public OutboxPoller poller() {
    return poller;
  }

  public OutboxWriter writer() {
    return writer;
  }

  /** Writes in a transaction of its own. */
  public void write(EventEnvelope... events) {
    tx.run(() -> writer.writeAll(List.of(events)));
  }

  /** The ids the listener was called with, in order. */
  public List<String> delivered() {
    return delivered;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable part : parts) {
      part.close();
    }
  }
}
