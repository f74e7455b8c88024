package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testdb.TestDatabase;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the engine itself interrupts or cancels is not the event's failure. */
@Timeout(300)
class CutShortTest {

  private static final Duration LEASE = Duration.ofSeconds(3); // lost by nobody who is only slow

  private enum Mode {
    SINGLE_NODE(Scenario::singleNode),
    MULTI_NODE(scenario -> scenario.multiNode(Duration.ofSeconds(30))),
    ORDERED(Scenario::ordered), // one attempt anyway
    ORDERED_BY_KEY(scenario -> scenario.orderedByKey());

    private final Function<Scenario, Outbox.AbstractBuilder<?>> builder;

    Mode(Function<Scenario, Outbox.AbstractBuilder<?>> builder) {
      this.builder = builder;
    }

    /** One attempt, so that a failure that counts ends the event. */
    Outbox.AbstractBuilder<?> of(Scenario scenario) {
      Outbox.AbstractBuilder<?> of = builder.apply(scenario);
      return of instanceof Outbox.DeliveringBuilder<?> delivering ? delivering.maxAttempts(1) : of;
    }
  }

  /** What a listener makes of an interrupt. */
  private enum Reaction {
    FAILS {
      @Override
      DispatchResult to(InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      }
    },
    GIVES_UP {
      @Override
      DispatchResult to(InterruptedException e) {
        throw new UnrecoverableException("interrupted", e);
      }
    },
    BLAMES_ITS_DESTINATION {
      @Override
      DispatchResult to(InterruptedException e) {
        throw new OutageException("interrupted", e);
      }
    },
    IS_DEAD {
      @Override
      DispatchResult to(InterruptedException e) {
        return DispatchResult.dead("interrupted");
      }
    },
    LEAVES_ITS_THREAD_INTERRUPTED {
      @Override
      DispatchResult to(InterruptedException e) {
        Thread.currentThread().interrupt();
        return DispatchResult.done();
      }
    };

    abstract DispatchResult to(InterruptedException e);
  }

  /** Its first call ends by an interrupt only, the others are done at once. */
  private static final class Sluggish implements EventListener {
    private final Reaction reaction;
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch interrupted = new CountDownLatch(1);

    Sluggish(Reaction reaction) {
      this.reaction = reaction;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      if (calls.incrementAndGet() > 1) {
        return DispatchResult.done();
      }
      try {
        new CountDownLatch(1).await();
        throw new AssertionError("nobody counts down");
      } catch (InterruptedException e) {
        interrupted.countDown();
        return reaction.to(e);
      }
    }
  }

  /** Its first call is never answered, the others at once. */
  private static final class Silent implements AsyncEventListener {
    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<DispatchResult> first = new CompletableFuture<>();

    @Override
    public CompletableFuture<DispatchResult> onEvent(EventEnvelope event) {
      return calls.incrementAndGet() > 1
          ? CompletableFuture.completedFuture(DispatchResult.done())
          : first;
    }
  }

  private static Stream<Arguments> modesAndReactions() {
    return Arrays.stream(Mode.values())
        .flatMap(
            mode -> Arrays.stream(Reaction.values()).map(reaction -> Arguments.of(mode, reaction)));
  }

  // ---- an outage longer than the lease of a lane

  private static Stream<Arguments> databasesAndReactions() {
    return Databases.all()
        .flatMap(kind -> reactionsOn(kind).map(reaction -> Arguments.of(kind, reaction)));
  }

  private static Stream<Reaction> reactionsOn(TestDatabase kind) {
    return kind == TestDatabase.H2 ? Arrays.stream(Reaction.values()) : Stream.of(Reaction.FAILS);
  }

  @ParameterizedTest
  @Tag("each-database")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("databasesAndReactions")
  void R19_aListenerThatIsInterruptedInAnOutageKeepsItsEvent(TestDatabase kind, Reaction reaction)
      throws Exception {
    Sluggish listener = new Sluggish(reaction);
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      AtomicBoolean away = new AtomicBoolean();
      String id = deliverAndLoseTheDatabase(scenario, listener, listener.calls, away);
      assertThat(listener.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      away.set(false);
      assertDelivered(scenario, id, listener.calls);
    }
  }

  @EachDatabase
  @Execution(ExecutionMode.CONCURRENT)
  void R19_anAnswerThatIsCancelledInAnOutageKeepsItsEvent(TestDatabase kind) {
    Silent listener = new Silent();
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      AtomicBoolean away = new AtomicBoolean();
      EventListener sync = listener.asEventListener();
      String id = deliverAndLoseTheDatabase(scenario, sync, listener.calls, away);
      await().until(listener.first::isCancelled);
      away.set(false);
      assertDelivered(scenario, id, listener.calls);
    }
  }

  private static String deliverAndLoseTheDatabase(
      Scenario scenario, EventListener listener, AtomicInteger calls, AtomicBoolean away) {
    ConnectionProvider connections =
        () -> {
          if (away.get()) {
            throw new SQLNonTransientConnectionException("the database is away", "08006");
          }
          return scenario.connections.getConnection();
        };
    scenario.start(
        scenario
            .orderedByKey()
            .maxAttempts(1)
            .laneLease(LEASE)
            .intervalMs(50)
            .connectionProvider(connections)
            .listenerRegistry(Scenario.to(listener)));
    String id = scenario.write(scenario.coldWriter(), Scenario.event());
    await().until(() -> calls.get() == 1);
    away.set(true);
    return id;
  }

  private static void assertDelivered(Scenario scenario, String id, AtomicInteger calls) {
    scenario.awaitAllDone(1);
    assertThat(calls).hasValue(2);
    assertThat(scenario.number("attempts", id)).isZero();
  }

  // ---- the end of the outbox

  @ParameterizedTest
  @MethodSource("modesAndReactions")
  void R19_aListenerThatClosingInterruptsKeepsItsEvent(Mode mode, Reaction reaction)
      throws Exception {
    Sluggish listener = new Sluggish(reaction);
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      String id = closeWhile(scenario, mode, listener, listener.calls);
      assertThat(listener.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      assertPending(scenario, id);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void R19_anAnswerThatClosingCancelsKeepsItsEvent(Mode mode) {
    Silent listener = new Silent();
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      String id = closeWhile(scenario, mode, listener.asEventListener(), listener.calls);
      assertThat(listener.first).isCancelled();
      assertPending(scenario, id);
    }
  }

  private static String closeWhile(
      Scenario scenario, Mode mode, EventListener listener, AtomicInteger calls) {
    Outbox outbox =
        mode.of(scenario).listenerRegistry(Scenario.to(listener)).drainTimeoutMs(100).build();
    String id = scenario.write(outbox.writer(), Scenario.event());
    await().until(() -> calls.get() == 1);
    outbox.close();
    return id;
  }

  private static void assertPending(Scenario scenario, String id) {
    assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
    assertThat(scenario.number("attempts", id)).isZero();
  }
}
