package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.outbox.testing.Await;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.microprofile.context.ManagedExecutor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every call of a listener has a request context, until the listener has answered. */
class RequestContextTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          // when it delivers the next event, the method for the one before has returned
          .overrideConfigKey("quarkus.outbox.dispatcher.worker-count", "1")
          .overrideConfigKey(
              "quarkus.datasource.jdbc.url", "jdbc:h2:mem:request-context;DB_CLOSE_DELAY=-1");

  static final List<String> SEEN = new CopyOnWriteArrayList<>();
  static volatile CompletableFuture<Void> gate;
  static volatile boolean started;
  static volatile boolean boundAfterTheStart;

  @Inject OutboxWriter writer;

  @RequestScoped
  static class Request {

    private String name = "another";

    void name(String given) {
      name = given;
    }

    String name() {
      return name;
    }

    @PreDestroy
    void end() {
      SEEN.add("end of " + name);
    }
  }

  @Singleton
  static class Methods {

    @Inject Request request;
    @Inject ManagedExecutor executor;

    @OutboxListener("Stage")
    CompletionStage<Void> stage(EventEnvelope event) {
      request.name("stage");
      return executor.copy(gate).thenRunAsync(() -> SEEN.add("in " + request.name()));
    }

    @OutboxListener("Uni")
    Uni<DispatchResult> uni(EventEnvelope event) {
      request.name("uni");
      return Uni.createFrom()
          .completionStage(() -> gate)
          .invoke(() -> SEEN.add("in " + request.name()))
          .replaceWith(DispatchResult.done());
    }

    @OutboxListener("Failing")
    CompletionStage<Void> failing(EventEnvelope event) {
      request.name("failing");
      return CompletableFuture.failedFuture(new IllegalStateException("fails on purpose"));
    }

    @OutboxListener("Next")
    void next(EventEnvelope event) {
      SEEN.add("next");
    }
  }

  @Singleton
  static class Bound extends BoundEventListener {

    private final Request request;

    Bound(Request request) {
      super("Shop", "Bound");
      this.request = request;
      boundAfterTheStart = started;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      request.name("bound");
      return DispatchResult.done();
    }
  }

  @Singleton
  static class Starts {

    void start(@Observes StartupEvent event) {
      started = true;
    }
  }

  @BeforeEach
  void forget() {
    SEEN.clear();
    gate = new CompletableFuture<>();
  }

  private void write(String type) {
    write(EventEnvelope.ofJson(type, "{}"));
  }

  private void write(EventEnvelope event) {
    QuarkusTransaction.requiringNew().run(() -> writer.write(event));
  }

  private static void await(String expected) {
    Await.until(() -> expected + ", so far " + SEEN, SOON, () -> SEEN.contains(expected));
  }

  @Test
  void itLivesUntilAStageIsComplete() {
    assertLivesUntilTheAnswer("Stage", "stage");
  }

  @Test
  void itLivesUntilAUniHasItsItem() {
    assertLivesUntilTheAnswer("Uni", "uni");
  }

  private void assertLivesUntilTheAnswer(String type, String name) {
    write(type);
    write("Next");
    await("next");
    assertThat(SEEN).doesNotContain("end of " + name);

    gate.complete(null);

    await("end of " + name);
    assertThat(SEEN).containsSubsequence("in " + name, "end of " + name);
  }

  @Test
  void itEndsWithAFailure() {
    write("Failing");
    await("end of failing");
  }

  @Test
  void aBoundListenerHasOneAndIsMadeAfterTheStart() {
    write(EventEnvelope.builder("Bound").aggregateType("Shop").payloadJson("{}").build());
    await("end of bound");
    assertThat(boundAfterTheStart).isTrue();
  }
}
