package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.RetryAfterException;
import io.outbox.model.EventStatus;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.MetricsExporter;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;

/** R9: an outcome is in the metrics when it is in the database, once. */
@Timeout(300)
class MetricsTest {

  private static final Duration LONG = Duration.ofHours(1);

  /** Every kind of outcome, by the event's type. */
  private static final EventListener BY_TYPE =
      event ->
          switch (event.eventType()) {
            case "Failing" -> throw new RetryAfterException(LONG);
            case "Dead" -> DispatchResult.dead("for good");
            case "Deferred" -> DispatchResult.retryAfter(LONG);
            default -> DispatchResult.done();
          };

  private static List<EventEnvelope> ofEachKind(int count) {
    return Stream.of("Done", "Failing", "Dead", "Deferred")
        .flatMap(type -> Stream.generate(() -> EventEnvelope.ofJson(type, "{}")).limit(count))
        .toList();
  }

  @EachDatabase
  void R9_anOutcomeIsCountedAfterItsRowSaysSo(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(BY_TYPE);
      RecordingMetrics counts = new RecordingMetrics();
      Tap<MetricsExporter> metrics = new Tap<>(MetricsExporter.class, counts);
      ConcurrentLinkedQueue<String> early = new ConcurrentLinkedQueue<>();
      Map.of(
              "incrementDispatchSuccess", "event_type = 'Done' AND status = 1",
              "incrementDispatchFailure", "event_type = 'Failing' AND status = 2",
              "incrementDispatchDead", "event_type = 'Dead' AND status = 3",
              "incrementDispatchDeferred", "available_at > created_at AND status = 0")
          .forEach(
              (method, condition) ->
                  metrics.on(
                      method,
                      call -> {
                        int rows =
                            scenario
                                .query("SELECT event_id FROM outbox_event WHERE " + condition)
                                .size();
                        if (rows < metrics.calls(method)) {
                          early.add(method + " " + metrics.calls(method) + " with rows " + rows);
                        }
                        return call.proceed();
                      }));
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics.proxy()).intervalMs(20));
      scenario.write(outbox.writer(), ofEachKind(5));
      await().until(() -> counts.outcomes() >= 20);
      outbox.close();

      assertThat(early).isEmpty();
      assertThat(counts.successes()).isEqualTo(5);
      assertThat(counts.failures()).isEqualTo(5);
      assertThat(counts.dead()).isEqualTo(5);
      assertThat(counts.deferred()).isEqualTo(5);
    }
  }

  @EachDatabase
  void R9_anOutcomeWhoseCommitHadNoAnswerIsCountedOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(BY_TYPE);
      RecordingMetrics metrics = new RecordingMetrics();
      AtomicInteger unanswered = new AtomicInteger();
      ConnectionProvider unlucky =
          () ->
              new Tap<>(Connection.class, scenario.pool.getConnection())
                  .on(
                      "commit",
                      call -> {
                        Object committed = call.proceed();
                        if (unanswered.getAndIncrement() < 3) {
                          throw new SQLException("the connection broke", "08006");
                        }
                        return committed;
                      })
                  .proxy();
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .connectionProvider(unlucky)
                  .outboxStore(Scenario.withCommits(scenario.storeTap()).proxy())
                  .metrics(metrics)
                  .intervalMs(20));
      scenario.write(outbox.writer(), ofEachKind(2));
      await().until(() -> metrics.outcomes() >= 8);
      outbox.close();

      assertThat(unanswered.get()).isGreaterThan(3);
      assertThat(metrics.successes()).isEqualTo(2);
      assertThat(metrics.failures()).isEqualTo(2);
      assertThat(metrics.dead()).isEqualTo(2);
      assertThat(metrics.deferred()).isEqualTo(2);
      assertThat(scenario.deliveries.repeated()).isEmpty();
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts = 1")).hasSize(2);
      assertThat(scenario.count(EventStatus.DONE)).isEqualTo(2);
    }
  }
}
