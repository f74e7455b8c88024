package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutboxStartTest {

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final FakeTx tx = new FakeTx(database);
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
  private Outbox outbox;

  @AfterEach
  void close() {
    if (outbox != null) {
      outbox.close();
    }
  }

  private <B extends Outbox.AbstractBuilder<B>> Outbox build(B builder) {
    outbox =
        builder
            .connectionProvider(database)
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .intervalMs(60_000)
            .build();
    return outbox;
  }

  private void write(String id) {
    tx.run(() -> outbox.writer().write(Events.event(id)));
  }

  @Test
  void anOutboxRunsOnceItIsBuilt() {
    build(Outbox.singleNode());

    assertThat(outbox.isRunning()).isTrue();
    outbox.close();
    assertThat(build(Outbox.writerOnly()).isRunning()).isTrue();
  }

  @Test
  void R1_listenersRegisteredBeforeTheStartGetWhatWasWrittenBeforeIt() {
    store.seed(Events.event("earlier"));
    build(Outbox.singleNode().autoStart(false));
    write("before");

    assertThat(outbox.isRunning()).isFalse();
    assertThat(database.openConnections()).isZero();
    assertThat(store.calls("fetchPending")).isZero();
    assertThat(store.count(EventStatus.NEW)).isEqualTo(2);

    listeners.register(Events.TYPE, event -> null);
    outbox.start();
    outbox.start();
    write("after");

    assertThat(outbox.isRunning()).isTrue();
    await().untilAsserted(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(3));
  }

  private static EventInterceptor adding(String header) {
    return new EventInterceptor() {
      @Override
      public EventEnvelope beforeWrite(EventEnvelope event) {
        Map<String, String> headers = new LinkedHashMap<>(event.headers());
        headers.put(header, "after " + event.headers().keySet());
        return event.withHeaders(headers);
      }
    };
  }

  @Test
  void interceptorsSeeWhatIsWrittenInEveryModeAndBeforeTheStart() {
    List<EventEnvelope> delivered = new CopyOnWriteArrayList<>();
    listeners.register(
        Events.TYPE,
        event -> {
          delivered.add(event);
          return null;
        });
    build(Outbox.singleNode().interceptor(adding("a")).interceptor(adding("b")).autoStart(false));
    write("before");
    outbox.start();
    write("after");
    await().until(() -> delivered.stream().anyMatch(event -> event.eventId().equals("after")));
    outbox.close();
    build(Outbox.writerOnly().interceptor(adding("a")).interceptor(adding("b")));
    write("writer-only");

    assertThat(List.of("before", "after", "writer-only"))
        .allSatisfy(
            id ->
                assertThat(store.written(id).headers())
                    .containsExactly(Map.entry("a", "after []"), Map.entry("b", "after [a]")));
  }

  @Test
  void whatAnInterceptorThrowsBeforeAWriteReachesTheWriterAndNothingIsWritten() {
    build(
        Outbox.singleNode()
            .interceptor(
                new EventInterceptor() {
                  @Override
                  public EventEnvelope beforeWrite(EventEnvelope event) {
                    return event.eventId().equals("null") ? null : refuse();
                  }

                  private EventEnvelope refuse() {
                    throw new IllegalStateException("refused");
                  }
                }));

    assertThatThrownBy(() -> write("refused")).hasMessage("refused");
    assertThatThrownBy(() -> write("null")).hasMessageContaining("beforeWrite returned null");
    assertThat(store.rows()).isEmpty();
  }

  @Test
  void inSeveralNodesEventsWrittenBeforeTheStartAreLeasedToNobody() {
    build(Outbox.multiNode().autoStart(false).claimLocking(Duration.ofMinutes(5)));
    write("before");

    assertThat(store.row("before").lease()).isNull();
  }

  @Test
  void R15_aStoppedOutboxTakesEventsAndDeliversThemWhenItIsStartedAgain() {
    listeners.register(Events.TYPE, event -> null);
    build(Outbox.singleNode());
    OutboxWriter writer = outbox.writer();
    outbox.stop();
    outbox.stop();

    tx.run(() -> writer.write(Events.event("while stopped")));
    assertThat(outbox.isRunning()).isFalse();
    assertThat(store.status("while stopped")).isEqualTo(EventStatus.NEW);

    outbox.start();
    tx.run(() -> writer.write(Events.event("hot")));
    await().untilAsserted(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(2));
  }

  @Test
  void R6_aListenerThatOutlivesTheStopIsNotCalledBesideItself() throws Exception {
    CountDownLatch unblock = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger calls = new AtomicInteger();
    listeners.register(
        Events.TYPE,
        event -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          calls.incrementAndGet();
          while (unblock.getCount() > 0) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              // deaf
            }
          }
          running.decrementAndGet();
          return null;
        });
    build(Outbox.singleNode().drainTimeoutMs(0));
    write("e");
    await().until(() -> calls.get() == 1);
    outbox.stop();
    long polls = store.calls("fetchPending");
    outbox.start();
    await().until(() -> store.calls("fetchPending") > polls);
    write("next"); // behind it in the queue
    await().until(() -> calls.get() >= 2);
    unblock.countDown();

    await().until(() -> store.count(EventStatus.DONE) == 2);
    assertThat(most.get()).isLessThanOrEqualTo(2); // two events, each once at a time
  }

  @Test
  void aBuilderThatIsUsedAgainLeavesWhatItBuiltAlone() {
    listeners.register(Events.TYPE, event -> null);
    Outbox.SingleNodeBuilder builder = Outbox.singleNode();
    build(builder);
    outbox.stop();
    builder.interceptor(
        new EventInterceptor() {
          @Override
          public void beforeDispatch(EventEnvelope event) {
            throw new IllegalStateException("not for this one");
          }
        });
    outbox.start();
    write("e");

    await().until(() -> store.count(EventStatus.DONE) == 1);
  }

  @Test
  void R15_aClosedOutboxIsNotStartedAgain() {
    build(Outbox.singleNode());
    outbox.close();

    assertThatThrownBy(outbox::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(outbox.isRunning()).isFalse();
    write("late");
    assertThat(store.status("late")).isEqualTo(EventStatus.NEW);
  }

  @Test
  void R16_aRefusedWriteSaysWhatTheContextKnows() {
    TxContext ofAnotherDatabase =
        new TxContext() {
          @Override
          public boolean isTransactionActive() {
            return false;
          }

          @Override
          public Connection currentConnection() {
            throw new IllegalStateException("the transaction is one of another database");
          }

          @Override
          public void afterCommit(Runnable callback) {
            currentConnection();
          }

          @Override
          public void afterRollback(Runnable callback) {
            currentConnection();
          }
        };
    OutboxWriter writer = new DefaultOutboxWriter(ofAnotherDatabase, store);

    assertThatThrownBy(() -> writer.write(Events.TYPE, "{}"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction")
        .hasMessageContaining("the transaction is one of another database");
  }
}
