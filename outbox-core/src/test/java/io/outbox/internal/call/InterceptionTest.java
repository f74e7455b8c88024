package io.outbox.internal.call;

import static java.lang.System.Logger.Level.WARNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.internal.OwnWork;
import io.outbox.internal.RepeatedWarning;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Interceptors that keep something from the beginning of a dispatch to its end. */
class InterceptionTest {

  private final Engine engine = new Engine();
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final CountDownLatch unblock = new CountDownLatch(1);

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  /** Notes what it is told, with the thread if it is not that of {@code around}. */
  private EventInterceptor noting(String name) {
    return new EventInterceptor() {
      @Override
      public void beforeDispatch(EventEnvelope event) {
        log.add(name + " before " + event.headers());
      }

      @Override
      public Dispatch around(EventEnvelope event) {
        log.add(name + " around " + event.headers());
        Thread worker = Thread.currentThread();
        return new Dispatch() {
          @Override
          public EventEnvelope event() {
            return event.withHeaders(Map.of("from", name));
          }

          @Override
          public void returned() {
            log.add(name + " returned" + elsewhere());
          }

          @Override
          public void ended(DispatchResult result, Throwable error) {
            log.add(name + " ended " + result + " " + error + elsewhere());
          }

          private String elsewhere() {
            return Thread.currentThread() == worker ? "" : " elsewhere";
          }
        };
      }

      @Override
      public void afterDispatch(EventEnvelope event, Exception error) {
        log.add(name + " after " + event.headers() + " " + error);
      }
    };
  }

  /** A listener of the library's own, which writes the event again. */
  private static final class Copying implements AsyncEventListener, OwnWork {
    private volatile EventEnvelope given;

    @Override
    public CompletableFuture<DispatchResult> onEvent(EventEnvelope event) {
      given = event;
      return CompletableFuture.completedFuture(DispatchResult.done());
    }
  }

  @Test
  void whoWritesAnEventAgainGetsItAsItWasWritten() throws Exception {
    EventEnvelope event = EventEnvelope.ofJson("Tested", "{}");
    Copying listener = new Copying();
    Interception interception =
        new Interception(
            List.of(noting("a")), event, new RepeatedWarning(InterceptionTest.class, WARNING));

    interception.call(listener.asEventListener());

    assertThat(listener.given).isSameAs(event);
    assertThat(log).contains("a around {}");
  }

  private void deliver() {
    engine.build();
    engine.write(Events.event("e"));
  }

  private void awaitStatus(EventStatus status) {
    await().until(() -> engine.store.status("e") == status);
  }

  @Test
  void theListenerIsGivenWhatTheLastInterceptorMadeOfTheEvent() {
    engine.dispatcherSettings.interceptor(noting("1")).interceptor(noting("2"));
    engine.listener(
        event -> {
          log.add("listener " + event.headers());
          return DispatchResult.done();
        });
    deliver();
    awaitStatus(EventStatus.DONE);

    assertThat(log)
        .containsExactly(
            "1 before {}",
            "1 around {}",
            "2 before {}",
            "2 around {from=1}",
            "listener {from=2}",
            "2 returned",
            "1 returned",
            "2 ended Done[] null",
            "1 ended Done[] null",
            "2 after {} null",
            "1 after {} null");
  }

  @Test
  void aLateAnswerEndsADispatchThatReturnedOnItsOwnThread() {
    engine.dispatcherSettings.interceptor(noting("1"));
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    engine.dispatcherSettings.listenerRegistry(
        (aggregate, type) -> ((AsyncEventListener) event -> answer).asEventListener());
    deliver();
    // Or it would be there when the worker asks for it.
    await().until(() -> log.contains("1 returned") && answer.getNumberOfDependents() > 0);
    answer.complete(DispatchResult.dead("no use"));
    awaitStatus(EventStatus.DEAD);

    assertThat(log)
        .containsExactly(
            "1 before {}",
            "1 around {}",
            "1 returned",
            "1 ended Dead[reason=no use] null elsewhere",
            "1 after {} null");
  }

  @Test
  void aFailureIsToldAsItWasThrown() {
    engine.dispatcherSettings.interceptor(noting("1")).maxAttempts(1);
    engine.listener(
        event -> {
          throw new StackOverflowError();
        });
    deliver();
    awaitStatus(EventStatus.DEAD);

    assertThat(log).contains("1 returned", "1 ended null java.lang.StackOverflowError");
  }

  @Test
  void whatBeganEndsIfALaterInterceptorRefusesTheEvent() {
    engine
        .dispatcherSettings
        .interceptor(noting("1"))
        .interceptor(
            new EventInterceptor() {
              @Override
              public Dispatch around(EventEnvelope event) {
                throw new IllegalStateException("refused");
              }
            })
        .interceptor(noting("3"))
        .maxAttempts(1);
    deliver();
    awaitStatus(EventStatus.DEAD);

    assertThat(engine.delivered()).isEmpty();
    assertThat(log)
        .contains("1 returned", "1 ended null java.lang.IllegalStateException: refused")
        .noneMatch(line -> line.startsWith("3 around") || line.startsWith("3 ended"));
  }

  @Test
  void whatADispatchThrowsIsLoggedOnly() {
    engine.dispatcherSettings.interceptor(
        new EventInterceptor() {
          @Override
          public Dispatch around(EventEnvelope event) {
            return new Dispatch() {
              @Override
              public EventEnvelope event() {
                return event;
              }

              @Override
              public void returned() {
                throw new IllegalStateException("injected");
              }

              @Override
              public void ended(DispatchResult result, Throwable error) {
                throw new NoClassDefFoundError("injected");
              }
            };
          }
        });
    deliver();
    awaitStatus(EventStatus.DONE);

    await()
        .untilAsserted(
            () ->
                assertThat(CapturedLogs.of(Listeners.class, Level.SEVERE))
                    .containsExactly("returned failed for event e"));
  }

  @Test
  void aListenerThatOutlivesItsTimeoutStillReturnsOnItsThread() {
    engine
        .dispatcherSettings
        .interceptor(noting("1"))
        .maxAttempts(1)
        .listenerTimeout(Duration.ofMillis(50));
    engine.listener(
        event -> {
          boolean interrupted = false;
          while (unblock.getCount() > 0) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              interrupted = true;
            }
          }
          log.add("listener was interrupted: " + interrupted);
          return DispatchResult.done();
        });
    deliver();
    awaitStatus(EventStatus.DEAD);
    await().until(() -> log.stream().anyMatch(line -> line.startsWith("1 ended null")));
    assertThat(log).doesNotContain("1 returned");
    unblock.countDown();

    await().until(() -> log.contains("1 returned"));
    assertThat(log.stream().filter(line -> line.startsWith("1 ended"))).hasSize(1);
  }

  @Test
  void aDispatchThatBeginsTooLateEndsAtOnce() throws Exception {
    Interception[] interception = new Interception[1];
    EventInterceptor late =
        new EventInterceptor() {
          @Override
          public void beforeDispatch(EventEnvelope event) {
            interception[0].ended(null, new IllegalStateException("timeout"));
          }
        };
    interception[0] =
        new Listeners((aggregate, type) -> null, List.of(noting("1"), late, noting("3")))
            .around(Events.event("e"));
    interception[0].call(event -> null);

    assertThat(log)
        .containsOnlyOnce(
            "1 ended null java.lang.IllegalStateException: timeout",
            "3 ended null java.lang.IllegalStateException: timeout",
            "1 returned",
            "3 returned");
  }

  @Test
  void anInterceptorThatGivesNoEventFailsTheDispatch() {
    EventInterceptor wrong =
        new EventInterceptor() {
          @Override
          public Dispatch around(EventEnvelope event) {
            return () -> null;
          }
        };
    Interception interception =
        new Listeners((aggregate, type) -> null, List.of(wrong)).around(Events.event("e"));

    assertThatThrownBy(() -> interception.call(event -> null))
        .hasMessage("an interceptor gave no event");
  }
}
