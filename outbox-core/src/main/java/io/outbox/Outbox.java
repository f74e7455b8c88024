package io.outbox;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.OwnerId;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.operate.Condition;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * An outbox with everything it needs, wired for one way of use. Delivery starts when it is built,
 * unless {@link AbstractBuilder#autoStart} says otherwise, and ends when it is stopped or closed;
 * what is not delivered then waits in the table. Thread-safe.
 */
public final class Outbox implements AutoCloseable {

  private final OutboxAssembly assembly;

  Outbox(OutboxAssembly assembly) {
    this.assembly = assembly;
  }

  /** One process on the table: delivered from the commit on, and by a poller. */
  public static SingleNodeBuilder singleNode() {
    return new SingleNodeBuilder();
  }

  /** Many processes on the table: like {@link #singleNode()}, under leases. */
  public static MultiNodeBuilder multiNode() {
    return new MultiNodeBuilder();
  }

  /** One process, one worker, one attempt: all events in the order they were written. */
  public static OrderedBuilder ordered() {
    return new OrderedBuilder();
  }

  /**
   * Many processes on the table, and the events of each key in order, retries included. A key is an
   * event's {@code orderingKey}, else its aggregate; an event without either waits for no other.
   * Needs what {@code OutboxSchema.createOrderedByKey} creates beside the table.
   */
  public static OrderedByKeyBuilder orderedByKey() {
    return new OrderedByKeyBuilder();
  }

  /** Only writes: change data capture, or another process, delivers. */
  public static WriterOnlyBuilder writerOnly() {
    return new WriterOnlyBuilder();
  }

  /**
   * For the business code. Also writes while delivery is not running, and after {@link #close()}:
   * the row then waits.
   */
  public OutboxWriter writer() {
    return assembly.writer();
  }

  /**
   * Starts delivery, for the first time or after {@link #stop()}. Does nothing if it is running.
   *
   * @throws IllegalStateException if the outbox was closed
   */
  public void start() {
    assembly.start();
  }

  /** Like {@link #close()}, but delivery can be started again. */
  public void stop() {
    assembly.stop();
  }

  /** Whether delivery was started and not stopped. */
  public boolean isRunning() {
    return assembly.isRunning();
  }

  /**
   * What this node has to say about itself now, for health checks: that it cannot work, or that it
   * waits for nodes of another mode. Empty if all is well or delivery is not running. A snapshot,
   * without any look at the database.
   */
  public List<Condition> conditions() {
    return assembly.conditions();
  }

  /** Ends purge, poller and dispatcher, in this order. Bounded, and harmless when called again. */
  @Override
  public void close() {
    assembly.close();
  }

  /** What every outbox can be given. Not thread-safe. */
  public abstract static sealed class AbstractBuilder<B extends AbstractBuilder<B>>
      permits DispatchingBuilder, WriterOnlyBuilder {

    final OutboxSettings settings = new OutboxSettings();

    AbstractBuilder() {}

    abstract B self();

    /** Builds the outbox and starts it, unless {@link #autoStart} was switched off. */
    public abstract Outbox build();

    /**
     * Whether {@link #build()} starts delivery. Without it events wait in the table until {@link
     * Outbox#start()}, so that listeners can be registered meanwhile. Default true.
     */
    public B autoStart(boolean value) {
      settings.autoStart = value;
      return self();
    }

    /** Required, except for a writer-only outbox without a purger. */
    public B connectionProvider(ConnectionProvider value) {
      settings.connectionProvider(value);
      return self();
    }

    /** Required. */
    public B txContext(TxContext value) {
      settings.txContext(value);
      return self();
    }

    /** Required. */
    public B outboxStore(OutboxStore value) {
      settings.outboxStore(value);
      return self();
    }

    /** Required, except for a writer-only outbox. */
    public B listenerRegistry(ListenerRegistry value) {
      settings.listenerRegistry(value);
      return self();
    }

    public B metrics(MetricsExporter value) {
      settings.metrics(value);
      return self();
    }

    /** Adds an interceptor. */
    public B interceptor(EventInterceptor value) {
      settings.interceptor(value);
      return self();
    }

    /** Adds interceptors. */
    public B interceptors(List<EventInterceptor> values) {
      settings.interceptors(values);
      return self();
    }

    /** How long the poller waits after it found nothing more. Default 5000. */
    public B intervalMs(long value) {
      settings.intervalMs(value);
      return self();
    }

    /** How many events one poll fetches at most. Default 50. */
    public B batchSize(int value) {
      settings.batchSize(value);
      return self();
    }

    /** The poller leaves events younger than this to the hot path. Default zero. */
    public B skipRecent(Duration value) {
      settings.skipRecent(value);
      return self();
    }

    /** How long {@link Outbox#close()} lets queued events be delivered. Default 5000. */
    public B drainTimeoutMs(long value) {
      settings.drainTimeoutMs(value);
      return self();
    }

    /** Default: the system's clock. Where it matters, the database's time is used. */
    public B clock(Clock value) {
      settings.clock(value);
      return self();
    }

    /** Deletes old events now and then. Default: nothing is deleted. */
    public B purger(EventPurger value) {
      settings.purger(value);
      return self();
    }

    /** How long events are kept. Default 7 days. */
    public B purgeRetention(Duration value) {
      settings.purgeRetention(value);
      return self();
    }

    /** How many events are deleted in one transaction at most. Default 500. */
    public B purgeBatchSize(int value) {
      settings.purgeBatchSize(value);
      return self();
    }

    /** Default 3600. */
    public B purgeIntervalSeconds(long value) {
      settings.purgeIntervalSeconds(value);
      return self();
    }
  }

  /** What an outbox with listeners can be given. */
  public abstract static sealed class DispatchingBuilder<B extends DispatchingBuilder<B>>
      extends AbstractBuilder<B> permits ConcurrentBuilder, OrderedBuilder {

    DispatchingBuilder() {}

    /**
     * Called with each event that became DEAD and the reason (may be null), after that is in the
     * database, on a thread of its own. Best effort: a crash may lose the call, never the row.
     */
    public B onDead(BiConsumer<EventEnvelope, String> value) {
      settings.onDead(value);
      return self();
    }

    /**
     * How old an event may become, counted from its creation or its last replay, by the database's
     * time; none by default. One that is older is DEAD when it was tried once more without success:
     * whether it failed, was put off by its listener, or its destination is down. No retry is later
     * than that age. However old it is, an event is tried once at least.
     */
    public B maxAge(Duration value) {
      settings.maxAge(value);
      return self();
    }

    /**
     * Deletes an event that was delivered instead of keeping it as DONE; DEAD ones stay. Needs a
     * store that {@linkplain OutboxStore#supportsDeletes() can delete}. Default off.
     */
    public B deleteOnDone(boolean value) {
      settings.deleteOnDone = value;
      return self();
    }

    /**
     * Calls listeners on virtual threads, still as many as there are workers. Needs Java 21 or
     * later. Default off.
     */
    public B virtualThreads(boolean value) {
      settings.virtualThreads = value;
      return self();
    }
  }

  /** What an outbox with several workers can be given. */
  public abstract static sealed class ConcurrentBuilder<B extends ConcurrentBuilder<B>>
      extends DispatchingBuilder<B> permits DeliveringBuilder, OrderedByKeyBuilder {

    ConcurrentBuilder() {}

    /** How many listeners run at the same time. Default 4. */
    public B workerCount(int value) {
      settings.workerCount(value);
      return self();
    }

    /**
     * How many calls of an asynchronous listener may be unanswered at the same time. Default 256.
     *
     * @see AsyncEventListener
     */
    public B maxInFlight(int value) {
      settings.maxInFlight(value);
      return self();
    }

    /** Default 1000. */
    public B hotQueueCapacity(int value) {
      settings.hotQueueCapacity(value);
      return self();
    }

    /** Default 1000. */
    public B coldQueueCapacity(int value) {
      settings.coldQueueCapacity(value);
      return self();
    }

    /** How many bytes of events may be queued, whatever their number. Default 64 MiB. */
    public B maxQueuedBytes(long value) {
      settings.maxQueuedBytes(value);
      return self();
    }

    /** How often a listener is called for one event at most. Default 10. */
    public B maxAttempts(int value) {
      settings.maxAttempts(value);
      return self();
    }

    /** Default: doubling from 200 ms to a minute. */
    public B retryPolicy(RetryPolicy value) {
      settings.retryPolicy(value);
      return self();
    }
  }

  /** What an outbox with a hot path can be given. */
  public abstract static sealed class DeliveringBuilder<B extends DeliveringBuilder<B>>
      extends ConcurrentBuilder<B> permits SingleNodeBuilder, MultiNodeBuilder {

    DeliveringBuilder() {}

    /**
     * How long a listener may take; none by default. One that takes longer is interrupted, or its
     * answer no longer awaited, and that is a failure like any other: the event is retried. One
     * that does not yield to the interrupt keeps its thread, another takes its place, and the event
     * may be delivered again while the first delivery still runs.
     */
    public B listenerTimeout(Duration value) {
      settings.listenerTimeout(value);
      return self();
    }

    /**
     * Looks whether a committed event's row is there before it is delivered, at the price of a
     * query per batch. For applications that roll back to savepoints without the transaction
     * context noticing. Default off.
     */
    public B checkRowsBeforeHotDelivery(boolean value) {
      settings.checkRowsBeforeHotDelivery = value;
      return self();
    }
  }

  /** See {@link Outbox#singleNode()}. */
  public static final class SingleNodeBuilder extends DeliveringBuilder<SingleNodeBuilder> {
    private SingleNodeBuilder() {}

    @Override
    SingleNodeBuilder self() {
      return this;
    }

    @Override
    public Outbox build() {
      return OutboxAssembly.delivering(settings, DeliveryMode.SINGLE_NODE, true);
    }
  }

  /** See {@link Outbox#multiNode()}. */
  public static final class MultiNodeBuilder extends DeliveringBuilder<MultiNodeBuilder> {
    private MultiNodeBuilder() {}

    @Override
    MultiNodeBuilder self() {
      return this;
    }

    /**
     * Required: how long a node that died keeps its events from the others. The same on all nodes.
     */
    public MultiNodeBuilder claimLocking(Duration timeout) {
      return claimLocking(OwnerId.ofThisProcess(), timeout);
    }

    /**
     * Like {@link #claimLocking(Duration)}, with a name for this node.
     *
     * @param ownerId shown in {@code locked_by}; a random part is added to it
     */
    public MultiNodeBuilder claimLocking(String ownerId, Duration timeout) {
      settings.claimLocking(ownerId, timeout);
      return this;
    }

    /**
     * How long no live node must have had a listener for an event until the event is DEAD. Until
     * then the event waits in the table: in a rolling deployment a newer node may have a listener
     * for it. Zero makes it DEAD as soon as a node without a listener meets it. The same on all
     * nodes. Default 5 minutes.
     */
    public MultiNodeBuilder missingListenerGrace(Duration value) {
      settings.missingListenerGrace(value);
      return this;
    }

    @Override
    public Outbox build() {
      if (settings.claimTimeout == null) {
        throw new IllegalStateException(
            "a multi-node outbox needs claimLocking(timeout), for example Duration.ofMinutes(5)");
      }
      return OutboxAssembly.delivering(settings, DeliveryMode.MULTI_NODE, true);
    }
  }

  /** See {@link Outbox#ordered()}. */
  public static final class OrderedBuilder extends DispatchingBuilder<OrderedBuilder> {
    private OrderedBuilder() {}

    @Override
    OrderedBuilder self() {
      return this;
    }

    @Override
    public Outbox build() {
      settings.workerCount = 1;
      settings.maxInFlight = 1;
      settings.maxAttempts = 1;
      return OutboxAssembly.delivering(settings, DeliveryMode.ORDERED, false);
    }
  }

  /**
   * See {@link Outbox#orderedByKey()}. {@code batchSize} and {@code skipRecent} have no effect
   * here.
   */
  public static final class OrderedByKeyBuilder extends ConcurrentBuilder<OrderedByKeyBuilder> {
    private OrderedByKeyBuilder() {}

    @Override
    OrderedByKeyBuilder self() {
      return this;
    }

    /**
     * A name for this node, to which each outbox adds a random part when it starts. Default: made
     * of host and process.
     */
    public OrderedByKeyBuilder node(String name) {
      settings.node(name);
      return this;
    }

    /**
     * How long the keys of a node that died wait until others deliver them. A node that cannot
     * reach the database for nearly as long stops delivering. Default 15 seconds.
     */
    public OrderedByKeyBuilder laneLease(Duration value) {
      settings.laneLease(value);
      return this;
    }

    /**
     * How long keys that are to go to another node wait for what is running; after that they stay
     * for now. Default 10 seconds.
     */
    public OrderedByKeyBuilder laneHandover(Duration value) {
      settings.laneHandover(value);
      return this;
    }

    /**
     * Whether the owner of a key learns at once what another node has written for it. By default it
     * does: on PostgreSQL by LISTEN and NOTIFY, which keeps one connection while there are other
     * nodes; elsewhere, or where notifications do not arrive, by looking for new events ten times a
     * second. {@code true} demands notifications, and is refused for other databases. With {@code
     * false} such an event waits for up to {@code intervalMs}.
     */
    public OrderedByKeyBuilder notifications(boolean value) {
      settings.notifications = value;
      return this;
    }

    /**
     * How long no live node must have had a listener for an event until the event is DEAD. Until
     * then the event waits in the table: in a rolling deployment a newer node may have a listener
     * for it. It holds its key meanwhile. Zero makes it DEAD as soon as a node without a listener
     * meets it. The same on all nodes. Default 5 minutes.
     */
    public OrderedByKeyBuilder missingListenerGrace(Duration value) {
      settings.missingListenerGrace(value);
      return this;
    }

    /** The events behind one that is DEAD are delivered. The default. */
    public OrderedByKeyBuilder continueAfterDead() {
      settings.blockAfterDead = false;
      return this;
    }

    /**
     * When an event is DEAD its key waits, until that event is replayed and done, or the block is
     * lifted.
     */
    public OrderedByKeyBuilder blockAfterDead() {
      settings.blockAfterDead = true;
      return this;
    }

    @Override
    public Outbox build() {
      return OutboxAssembly.orderedByKey(settings);
    }
  }

  /** See {@link Outbox#writerOnly()}. Settings for delivery have no effect here. */
  public static final class WriterOnlyBuilder extends AbstractBuilder<WriterOnlyBuilder> {
    private WriterOnlyBuilder() {}

    @Override
    WriterOnlyBuilder self() {
      return this;
    }

    @Override
    public Outbox build() {
      return OutboxAssembly.writerOnly(settings);
    }
  }
}
