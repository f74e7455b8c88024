package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.engine.DeliveryEngine;
import io.outbox.internal.engine.PolledQueue;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.operate.Condition;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Delivers events: two bounded queues, worker threads that call the listeners, and a recorder that
 * writes the outcomes. {@code build()} starts the workers. Thread-safe.
 */
public final class OutboxDispatcher implements AutoCloseable {

  private final DeliveryEngine<Delivery, PolledQueue> engine;

  private OutboxDispatcher(DeliveryEngine<Delivery, PolledQueue> engine) {
    this.engine = engine;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Queues an event that was just committed.
   *
   * @return false if the queue is full or the dispatcher is closing; true also if the event is
   *     already in the dispatcher's hands
   */
  public boolean enqueueHot(QueuedEvent event) {
    return engine.queue().enqueue(Objects.requireNonNull(event, "event"), true);
  }

  /**
   * Queues an event that was read from the database. A poller's handler calls it on the poller's
   * thread, while {@code handle} runs: then an event that was delivered after the poll had read its
   * row is not delivered again.
   *
   * @return false if the queue is full or the dispatcher is closing; true also if the event is
   *     already in the dispatcher's hands
   */
  public boolean enqueueCold(QueuedEvent event) {
    return engine.queue().enqueue(Objects.requireNonNull(event, "event"), false);
  }

  /** How many more events the cold queue takes. */
  public int coldQueueRemainingCapacity() {
    return engine.queue().coldRemaining();
  }

  /** This dispatcher's conditions; empty if all is well. */
  public List<Condition> conditions() {
    return engine.conditions();
  }

  /**
   * Accepts no more events, delivers queued events within the drain timeout, then interrupts
   * listeners that still run. Queued events that were not started return to the table. Bounded, and
   * harmless when called again.
   */
  @Override
  public void close() {
    engine.close();
  }

  /** For the hook and the handler beside it. */
  PolledQueue queue() {
    return engine.queue();
  }

  /** Collects the settings of a dispatcher. Not thread-safe. */
  public static final class Builder {
    private final OutboxSettings settings = new OutboxSettings();

    private Builder() {
      settings.missingListenerGrace(Duration.ZERO);
    }

    /** Required. */
    public Builder connectionProvider(ConnectionProvider value) {
      settings.connectionProvider(value);
      return this;
    }

    /** Required. */
    public Builder outboxStore(OutboxStore value) {
      settings.outboxStore(value);
      return this;
    }

    /** Required. */
    public Builder listenerRegistry(ListenerRegistry value) {
      settings.listenerRegistry(value);
      return this;
    }

    public Builder inFlightTracker(InFlightTracker value) {
      settings.inFlightTracker(value);
      return this;
    }

    public Builder retryPolicy(RetryPolicy value) {
      settings.retryPolicy(value);
      return this;
    }

    /** How often a listener is called for one event at most. Default 10. */
    public Builder maxAttempts(int value) {
      settings.maxAttempts(value);
      return this;
    }

    /**
     * How old an event may become, from its creation or its last replay, by the database's time; no
     * limit by default. Once past this age, an event gets one last attempt; if that fails, is
     * deferred, or meets an outage, the event becomes DEAD. No retry is later than that age, and
     * every event gets at least one attempt.
     */
    public Builder maxAge(Duration value) {
      settings.maxAge(value);
      return this;
    }

    /**
     * How long no live node must have had a listener for an event before it becomes DEAD. Until
     * then it waits in the table for a node that has one. For many nodes, that is with {@link
     * #claimLocking} and {@link #member}. Default zero: an event without a listener is DEAD at
     * once.
     */
    public Builder missingListenerGrace(Duration value) {
      settings.missingListenerGrace(value);
      return this;
    }

    /** How many listeners run at the same time. Default 4. */
    public Builder workerCount(int value) {
      settings.workerCount(value);
      return this;
    }

    /** How many calls of each async listener may be pending at the same time. Default 256. */
    public Builder maxInFlight(int value) {
      settings.maxInFlight(value);
      return this;
    }

    /**
     * How long a listener may take; no limit by default. A slower call is interrupted, or its
     * result ignored, and the event is retried. A listener that ignores the interrupt keeps its
     * thread; a new thread replaces it, and the event may be delivered again while the first call
     * still runs.
     */
    public Builder listenerTimeout(Duration value) {
      settings.listenerTimeout(value);
      return this;
    }

    /** Default 1000. */
    public Builder hotQueueCapacity(int value) {
      settings.hotQueueCapacity(value);
      return this;
    }

    /** Default 1000. */
    public Builder coldQueueCapacity(int value) {
      settings.coldQueueCapacity(value);
      return this;
    }

    /** How many bytes of events may be queued, whatever their number. Default 64 MiB. */
    public Builder maxQueuedBytes(long value) {
      settings.maxQueuedBytes(value);
      return this;
    }

    public Builder metrics(MetricsExporter value) {
      settings.metrics(value);
      return this;
    }

    /** Adds an interceptor. */
    public Builder interceptor(EventInterceptor value) {
      settings.interceptor(value);
      return this;
    }

    /** Adds interceptors. */
    public Builder interceptors(List<EventInterceptor> values) {
      settings.interceptors(values);
      return this;
    }

    /** How long {@link OutboxDispatcher#close()} delivers queued events. Default 5000. */
    public Builder drainTimeoutMs(long value) {
      settings.drainTimeoutMs(value);
      return this;
    }

    /**
     * Called with each DEAD event and the reason, after DEAD is in the database, on its own thread.
     * Best effort: a crash may lose the call, never the row.
     */
    public Builder onDead(BiConsumer<EventEnvelope, String> value) {
      settings.onDead(value);
      return this;
    }

    /** Default: the system's clock; the database's time is asked for where it matters. */
    public Builder clock(Clock value) {
      settings.clock(value);
      return this;
    }

    /**
     * Delivers under leases, beside other nodes on the same table. To be set as for the poller.
     *
     * @param ownerId names this node in the table; a random part is added to it
     * @param timeout how long a lease lasts when its owner is gone; the same on all nodes
     */
    public Builder claimLocking(String ownerId, Duration timeout) {
      settings.claimLocking(ownerId, timeout);
      return this;
    }

    /**
     * Lets only one mode deliver from a table, and waits for nodes of another mode, if the store
     * {@linkplain OutboxStore#members() keeps a list} of nodes. Default: the dispatcher ignores
     * other nodes, and they ignore it.
     *
     * @param node names this process; no other may have the same
     */
    public Builder member(String node, DeliveryMode mode) {
      settings.node = Objects.requireNonNull(node, "node");
      settings.mode = Objects.requireNonNull(mode, "mode");
      return this;
    }

    /**
     * Looks whether a committed event's row is there before it is delivered, at the price of a
     * query per batch. For applications that roll back to savepoints without the outbox noticing.
     */
    public Builder checkRowsBeforeHotDelivery(boolean value) {
      settings.checkRowsBeforeHotDelivery = value;
      return this;
    }

    /**
     * Deletes delivered events instead of keeping them as DONE; DEAD events stay. Needs a store
     * that {@linkplain OutboxStore#supportsDeletes() can delete}. Default off.
     */
    public Builder deleteOnDone(boolean value) {
      settings.deleteOnDone = value;
      return this;
    }

    /**
     * Calls listeners on virtual threads, still {@code workerCount} of them. Needs Java 21 or
     * later. Default off.
     */
    public Builder virtualThreads(boolean value) {
      settings.virtualThreads = value;
      return this;
    }

    /** Builds the dispatcher and starts its threads. */
    public OutboxDispatcher build() {
      settings.checkDelivery();
      return new OutboxDispatcher(DeliveryEngine.polled(settings.copy()));
    }
  }
}
