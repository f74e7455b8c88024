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
 * An outbox in one of five modes. {@code build()} starts delivery, unless {@link
 * AbstractBuilder#autoStart} is false; {@link #stop()} and {@link #close()} end it. Undelivered
 * events wait in the table. Thread-safe.
 */
public final class Outbox implements AutoCloseable {

  private final OutboxAssembly assembly;

  Outbox(OutboxAssembly assembly) {
    this.assembly = assembly;
  }

  /**
   * One process on the table: the hot path delivers after the commit, the poller delivers the rest.
   */
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
   * Needs the tables of {@code OutboxSchema.createOrderedByKey}.
   */
  public static OrderedByKeyBuilder orderedByKey() {
    return new OrderedByKeyBuilder();
  }

  /** Only writes: change data capture, or another process, delivers. */
  public static WriterOnlyBuilder writerOnly() {
    return new WriterOnlyBuilder();
  }

  /**
   * Writes events in your transactions. It also works while delivery is stopped, and after {@link
   * #close()}: the events then wait in the table.
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
   * This node's conditions, for health checks: for example that it cannot work, or waits for nodes
   * of another mode. Empty if all is well or delivery is stopped. A snapshot; does not use the
   * database.
   */
  public List<Condition> conditions() {
    return assembly.conditions();
  }

  /** Ends purge, poller and dispatcher, in this order. Bounded, and harmless when called again. */
  @Override
  public void close() {
    assembly.close();
  }

  /** The settings of every outbox. Not thread-safe. */
  public abstract static sealed class AbstractBuilder<B extends AbstractBuilder<B>>
      permits DispatchingBuilder, WriterOnlyBuilder {

    final OutboxSettings settings = new OutboxSettings();

    AbstractBuilder() {}

    @SuppressWarnings("unchecked") // each builder names itself
    final B self() {
      return (B) this;
    }

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

    /** How long {@link Outbox#close()} delivers queued events. Default 5000. */
    public B drainTimeoutMs(long value) {
      settings.drainTimeoutMs(value);
      return self();
    }

    /** Default: the system's clock. Where it matters, the database's time is used. */
    public B clock(Clock value) {
      settings.clock(value);
      return self();
    }

    /** Deletes old events at intervals. Default: nothing is deleted. */
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

  /** Settings of an outbox with listeners. */
  public abstract static sealed class DispatchingBuilder<B extends DispatchingBuilder<B>>
      extends AbstractBuilder<B> permits ConcurrentBuilder, OrderedBuilder {

    DispatchingBuilder() {}

    /**
     * Called with each DEAD event and the reason (may be null), after DEAD is in the database, on
     * its own thread. Best effort: a crash may lose the call, never the row.
     */
    public B onDead(BiConsumer<EventEnvelope, String> value) {
      settings.onDead(value);
      return self();
    }

    /**
     * How old an event may become, from its creation or its last replay, by the database's time; no
     * limit by default. Once past this age, an event gets one last attempt; if that fails, is
     * deferred, or meets an outage, the event becomes DEAD. No retry is later than that age, and
     * every event gets at least one attempt.
     */
    public B maxAge(Duration value) {
      settings.maxAge(value);
      return self();
    }

    /**
     * Deletes delivered events instead of keeping them as DONE; DEAD events stay. Needs a store
     * that {@linkplain OutboxStore#supportsDeletes() can delete}. Default off.
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

  /** The settings of an outbox with several workers. */
  public abstract static sealed class ConcurrentBuilder<B extends ConcurrentBuilder<B>>
      extends DispatchingBuilder<B> permits DeliveringBuilder, OrderedByKeyBuilder {

    ConcurrentBuilder() {}

    /** How many listeners run at the same time. Default 4. */
    public B workerCount(int value) {
      settings.workerCount(value);
      return self();
    }

    /**
     * How many calls of each async listener may be pending at the same time. Default 256.
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

    /**
     * Looks whether a committed event's row is there before it is delivered, at the price of a
     * query per batch. For applications that roll back to savepoints without the transaction
     * context noticing, and in order by key for transactions that write events of one key in other
     * ways, too. Default off.
     */
    public B checkRowsBeforeHotDelivery(boolean value) {
      settings.checkRowsBeforeHotDelivery = value;
      return self();
    }
  }

  /** The settings of an outbox with a hot path. */
  public abstract static sealed class DeliveringBuilder<B extends DeliveringBuilder<B>>
      extends ConcurrentBuilder<B> permits SingleNodeBuilder, MultiNodeBuilder {

    DeliveringBuilder() {}

    /**
     * How long a listener may take; no limit by default. A slower call is interrupted, or its
     * result ignored, and the event is retried. A listener that ignores the interrupt keeps its
     * thread; a new thread replaces it, and the event may be delivered again while the first call
     * still runs.
     */
    public B listenerTimeout(Duration value) {
      settings.listenerTimeout(value);
      return self();
    }
  }

  /** See {@link Outbox#singleNode()}. */
  public static final class SingleNodeBuilder extends DeliveringBuilder<SingleNodeBuilder> {
    private SingleNodeBuilder() {}

    @Override
    public Outbox build() {
      return OutboxAssembly.delivering(settings, DeliveryMode.SINGLE_NODE, true);
    }
  }

  /** See {@link Outbox#multiNode()}. */
  public static final class MultiNodeBuilder extends DeliveringBuilder<MultiNodeBuilder> {
    private MultiNodeBuilder() {}

    /**
     * Required: how long the events of a dead node wait until others deliver them. The same on all
     * nodes.
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
     * How long no live node must have had a listener for an event before it becomes DEAD. Until
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

    /**
     * A name for this node, to which each outbox adds a random part when it starts. Default: made
     * of host and process.
     */
    public OrderedByKeyBuilder node(String name) {
      settings.node(name);
      return this;
    }

    /**
     * How long the keys of a dead node wait until others deliver them. A node that cannot reach the
     * database for nearly as long stops delivering. Default 15 seconds.
     */
    public OrderedByKeyBuilder laneLease(Duration value) {
      settings.laneLease(value);
      return this;
    }

    /**
     * How long a handover waits for running calls; after that the keys stay on this node for now.
     * Default 10 seconds.
     */
    public OrderedByKeyBuilder laneHandover(Duration value) {
      settings.laneHandover(value);
      return this;
    }

    /**
     * Whether the owner of a key learns at once of events that other nodes write. Default: yes.
     * PostgreSQL uses LISTEN and NOTIFY, which keeps one connection while there are other nodes;
     * elsewhere, or if notifications do not arrive, nodes look for new events ten times a second.
     * {@code true} requires notifications, and is refused for other databases. With {@code false}
     * such an event waits for up to {@code intervalMs}.
     */
    public OrderedByKeyBuilder notifications(boolean value) {
      settings.notifications = value;
      return this;
    }

    /**
     * How long no live node must have had a listener for an event before it becomes DEAD. Until
     * then the event waits in the table: in a rolling deployment a newer node may have a listener
     * for it. It holds its key meanwhile. Zero makes it DEAD as soon as a node without a listener
     * meets it. The same on all nodes. Default 5 minutes.
     */
    public OrderedByKeyBuilder missingListenerGrace(Duration value) {
      settings.missingListenerGrace(value);
      return this;
    }

    /**
     * A DEAD event blocks its key, until you replay it and it succeeds, or until you skip it
     * ({@link io.outbox.operate.OutboxOperator#skip}, {@code outbox skip}, or the console).
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
    public Outbox build() {
      return OutboxAssembly.writerOnly(settings);
    }
  }
}
