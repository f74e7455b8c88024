package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.Overview;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.actuate.OutboxEndpoint;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.jmx.ExposableJmxEndpoint;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** The health indicator and the endpoint. */
class ActuatorTest {

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  private final ApplicationContextRunner runner =
      Outboxes.runner()
          .withConfiguration(AutoConfigurations.of(Boot.ACTUATOR))
          .withUserConfiguration(Listening.class)
          .withPropertyValues("management.endpoints.web.exposure.include=*");

  /** One of each kind, the pending one due for an hour. */
  private static void fill(ApplicationContext context) {
    RecordingListener listener = context.getBean(RecordingListener.class);
    Outboxes.write(context, "Done", "{}");
    Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
    listener.answer(DispatchResult.dead());
    Outboxes.write(context, "Dead", "{}");
    Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1, EventStatus.DEAD, 1));
    listener.answer(DispatchResult.retryAfter(Duration.ofHours(1)));
    Outboxes.write(context, "Deferred", "{}");
    Outboxes.awaitCounts(
        context, Map.of(EventStatus.DONE, 1, EventStatus.DEAD, 1, EventStatus.NEW, 1));
    listener.awaitCount(3, Outboxes.SOON);
    context.getBean(Outbox.class).stop();
    context
        .getBean(JdbcTemplate.class)
        .update(
            "UPDATE outbox_event SET available_at = DATEADD('HOUR', -1, CURRENT_TIMESTAMP)"
                + " WHERE status = 0");
  }

  @Test
  void theEndpointTellsWhatIsInTheTable() {
    runner.run(
        context -> {
          fill(context);
          OutboxEndpoint.Contents contents = context.getBean(OutboxEndpoint.class).contents();

          assertThat(contents.events())
              .containsExactlyEntriesOf(
                  new TreeMap<>(
                      Map.of(
                          EventStatus.NEW,
                          1L,
                          EventStatus.DONE,
                          1L,
                          EventStatus.RETRY,
                          0L,
                          EventStatus.DEAD,
                          1L)));
          assertThat(contents.pending()).isOne();
          assertThat(contents.dead()).isOne();
          assertThat(contents.oldestPending()).isNotNull();
          assertThat(contents.oldestPendingAgeMs())
              .isBetween(Duration.ofMinutes(59).toMillis(), Duration.ofMinutes(70).toMillis());
        });
  }

  @Test
  void theEndpointIsShownAsJson() {
    runner
        .withConfiguration(AutoConfigurations.of(Boot.JACKSON))
        .run(
            context -> {
              fill(context);
              String json =
                  JsonCodec.getDefault().toJson(context.getBean(OutboxEndpoint.class).contents());
              assertThat(json)
                  .contains("\"events\":{\"NEW\":1,\"DONE\":1,\"RETRY\":0,\"DEAD\":1}")
                  .contains("\"countedUpTo\":10000")
                  .containsPattern("\"oldestPending\":\"20\\d\\d-.+Z\"");
            });
  }

  private static void insertMany(ApplicationContext context, String status, int count) {
    context
        .getBean(JdbcTemplate.class)
        .update(
            "INSERT INTO outbox_event"
                + " (event_id, event_type, payload, status, available_at, created_at)"
                + (" SELECT 'e' || x, 'Many', '{}', " + status + ", CURRENT_TIMESTAMP,")
                + " CURRENT_TIMESTAMP FROM SYSTEM_RANGE(1, ?)",
            count);
  }

  @Test
  void theEndpointCountsUpToABound() {
    runner
        .withPropertyValues("outbox.mode=writer-only")
        .run(
            context -> {
              insertMany(context, "MOD(x, 2)", 30_000);
              OutboxEndpoint.Contents contents = context.getBean(OutboxEndpoint.class).contents();

              assertThat(contents.countedUpTo()).isEqualTo(10_000);
              assertThat(contents.pending()).isEqualTo(10_000);
              assertThat(contents.events()).containsEntry(EventStatus.DONE, 10_000L);
            });
  }

  @Test
  void theEndpointShowsWhatAnOperatorSees() {
    runner.run(
        context -> {
          fill(context);
          Overview overview = context.getBean(OutboxEndpoint.class).contents().overview();
          assertThat(overview.states()).containsEntry(LifecycleState.DEAD, Count.exactly(1));
          assertThat(overview.throughput().events()).isOne();
        });
  }

  /** Called as the Actuator calls it, with its rules for access and parameters. */
  private static Object call(ApplicationContext context, Map<String, Object> arguments) {
    ExposableJmxEndpoint endpoint =
        context.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
            .filter(each -> each.getEndpointId().toLowerCaseString().equals("outbox"))
            .findFirst()
            .orElseThrow();
    SecurityContext grace =
        new SecurityContext() {
          @Override
          public Principal getPrincipal() {
            return () -> "grace";
          }

          @Override
          public boolean isUserInRole(String role) {
            return true;
          }
        };
    return endpoint.getOperations().stream()
        .filter(operation -> operation.getName().equals("act"))
        .findFirst()
        .map(operation -> operation.invoke(new InvocationContext(grace, arguments)))
        .orElse("read only");
  }

  private ApplicationContextRunner jmx() {
    return runner
        .withConfiguration(
            AutoConfigurations.of(JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class))
        .withPropertyValues(
            "spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=outbox");
  }

  @Test
  void theEndpointActsInTheNameOfWhoAsks() {
    jmx()
        .withPropertyValues("management.endpoint.outbox.access=UNRESTRICTED")
        .run(
            context -> {
              fill(context);
              String sql = "SELECT event_id FROM outbox_event WHERE status = ";
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              String dead = jdbc.queryForObject(sql + 3, String.class);

              assertThat(call(context, Map.of("action", "replay", "id", dead)))
                  .isEqualTo(new OutboxEndpoint.Acted(true));
              assertThat(call(context, Map.of("action", "replay", "id", dead)))
                  .isEqualTo(new OutboxEndpoint.Acted(false));
              assertThat(call(context, Map.of("action", "kill", "id", dead, "reason", "poison")))
                  .isEqualTo(new OutboxEndpoint.Acted(true));
              assertThat(call(context, Map.of("action", "pause", "eventType", "Dead")))
                  .isEqualTo(new OutboxEndpoint.Acted(true));
              assertThat(context.getBean(OutboxEndpoint.class).contents().overview().pauses())
                  .singleElement()
                  .satisfies(pause -> assertThat(pause.by()).isEqualTo("grace"));
              assertThat(call(context, Map.of("action", "resume", "eventType", "Dead")))
                  .isEqualTo(new OutboxEndpoint.Acted(true));
              assertThat(
                      jdbc.queryForList(
                          "SELECT actor || ' ' || action FROM outbox_event_audit ORDER BY audit_no",
                          String.class))
                  .containsExactly(
                      "grace replay", "grace replay", "grace kill", "grace pause", "grace resume");
              for (Map<String, Object> bad :
                  List.<Map<String, Object>>of(
                      Map.of("action", "explode"),
                      Map.of("action", "replay"),
                      Map.of("action", "kill", "id", dead),
                      Map.of("action", "pause", "eventType", ""))) {
                assertThatThrownBy(() -> call(context, bad))
                    .isInstanceOf(InvalidEndpointRequestException.class);
              }
            });
  }

  @Test
  void theEndpointActsOnlyIfThatIsAllowed() {
    jmx()
        .run(
            context -> assertThat(call(context, Map.of("action", "pause"))).isEqualTo("read only"));
  }

  @Test
  void theEndpointIsThereOnlyIfItIsExposed() {
    runner
        .withPropertyValues("management.endpoints.web.exposure.include=health")
        .run(context -> assertThat(context).doesNotHaveBean(OutboxEndpoint.class));
  }

  @Test
  void anEmptyOutboxIsUp() {
    runner.run(
        context -> {
          Boot.OutboxHealth health = Boot.outboxHealth(context);
          assertThat(health.status()).isEqualTo("UP");
          assertThat(health.details())
              .containsEntry("pending", 0L)
              .containsEntry("dead", 0L)
              .containsEntry("lagMs", 0L);
          OutboxEndpoint.Contents contents = context.getBean(OutboxEndpoint.class).contents();
          assertThat(contents.oldestPending()).isNull();
          assertThat(contents.oldestPendingAgeMs()).isZero();
        });
  }

  @Test
  void withoutThresholdsLateAndDeadEventsAreReportedOnly() {
    runner.run(
        context -> {
          fill(context);
          Boot.OutboxHealth health = Boot.outboxHealth(context);
          assertThat(health.status()).isEqualTo("UP");
          assertThat(health.details()).containsEntry("pending", 1L).containsEntry("dead", 1L);
        });
  }

  @Test
  void R24_typesWithoutAListenerAndBlockedKeysAreInTheHealthAndTheEndpoint() {
    Outboxes.runner()
        .withConfiguration(AutoConfigurations.of(Boot.ACTUATOR))
        .withPropertyValues(
            "management.endpoints.web.exposure.include=*", "outbox.mode=ordered-by-key")
        .run(
            context -> {
              context
                  .getBean(DefaultListenerRegistry.class)
                  .register("Order", "Unknown", event -> DispatchResult.done());
              context
                  .getBean(JdbcTemplate.class)
                  .update(
                      "INSERT INTO outbox_event_block"
                          + " (key_name, lane, event_id, blocked_at, reason)"
                          + " VALUES ('Order:17', 0, 'e0', CURRENT_TIMESTAMP, 'bad')");
              Outboxes.write(context, "Unknown", "{}");
              Await.until(
                  "the missing listener in the health",
                  Outboxes.SOON,
                  () -> Boot.outboxHealth(context).details().containsKey("withoutListener"));

              Map<String, Object> details = Boot.outboxHealth(context).details();
              assertThat(details.get("withoutListener").toString())
                  .contains("Unknown", "nearMiss=there is one for this event type with aggregate");
              assertThat(details.get("blockedKeys").toString())
                  .contains("key=Order:17", "event=e0", "since=");
              OutboxEndpoint.Contents contents = context.getBean(OutboxEndpoint.class).contents();
              assertThat(contents.withoutListener()).hasSize(1);
              assertThat(contents.blockedKeys()).hasSize(1);
            });
  }

  @Test
  void R24_aListenerThatIsDownIsInTheHealthAndTheEndpoint() {
    runner.run(
        context -> {
          RecordingListener listener = context.getBean(RecordingListener.class);
          listener.answer(
              event -> {
                throw new OutageException("no broker");
              });
          Outboxes.write(context, "Sent", "{}");
          Await.until(
              "the outage in the health",
              Outboxes.SOON,
              () -> Boot.outboxHealth(context).details().containsKey("outages"));

          Boot.OutboxHealth health = Boot.outboxHealth(context);
          assertThat(health.status()).isEqualTo("UP");
          assertThat(health.details().get("outages").toString())
              .contains("listener=RecordingListener", "reason=no broker", "since=", "nodes=");
          assertThat(context.getBean(OutboxEndpoint.class).contents().outages())
              .extracting(ListenerOutage::reason)
              .containsExactly("no broker");
        });
  }

  @Test
  void anEventThatIsLateMakesItDown() {
    runner
        .withPropertyValues("outbox.health.max-lag=10m")
        .run(
            context -> {
              assertThat(Boot.outboxHealth(context).status()).isEqualTo("UP");
              fill(context);
              Boot.OutboxHealth health = Boot.outboxHealth(context);
              assertThat(health.status()).isEqualTo("DOWN");
              assertThat(health.details()).containsEntry("maxLagMs", 600_000L);
            });
  }

  @Test
  void R24_anEventThatIsDeferredAgainAndAgainMakesItDown() {
    runner
        .withPropertyValues("outbox.health.max-lag=10m")
        .run(
            context -> {
              context
                  .getBean(RecordingListener.class)
                  .answer(DispatchResult.retryAfter(Duration.ofMillis(200)));
              Outboxes.write(context, "Deferred", "{}");
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(
                      () ->
                          jdbc.update(
                                  "UPDATE outbox_event SET waiting_since ="
                                      + " DATEADD('HOUR', -1, waiting_since)"
                                      + " WHERE waiting_since IS NOT NULL")
                              == 1);
              int calls = context.getBean(RecordingListener.class).count();
              context.getBean(RecordingListener.class).awaitCount(calls + 2, Outboxes.SOON);

              Boot.OutboxHealth health = Boot.outboxHealth(context);
              assertThat(health.status()).isEqualTo("DOWN");
              assertThat((long) health.details().get("lagMs"))
                  .isGreaterThan(Duration.ofMinutes(59).toMillis());
              assertThat(context.getBean(OutboxEndpoint.class).contents().oldestPendingAgeMs())
                  .isGreaterThan(Duration.ofMinutes(59).toMillis());
            });
  }

  @Test
  void tooManyDeadEventsMakeItDown() {
    runner
        .withPropertyValues("outbox.health.max-dead=0")
        .run(
            context -> {
              assertThat(Boot.outboxHealth(context).status()).isEqualTo("UP");
              fill(context);
              Boot.OutboxHealth health = Boot.outboxHealth(context);
              assertThat(health.status()).isEqualTo("DOWN");
              assertThat(health.details()).containsEntry("maxDead", 0).containsEntry("dead", 1L);
            });
  }

  @Test
  void moreMayBeDeadThanAreCountedAsARule() {
    runner
        .withPropertyValues("outbox.mode=writer-only", "outbox.health.max-dead=12000")
        .run(
            context -> {
              insertMany(context, "3", 12_000);
              assertThat(Boot.outboxHealth(context).status()).isEqualTo("UP");
              Outboxes.write(context, "OneMore", "{}");
              context.getBean(JdbcTemplate.class).update("UPDATE outbox_event SET status = 3");
              assertThat(Boot.outboxHealth(context).status()).isEqualTo("DOWN");
            });
  }

  @Test
  void inWriterOnlyNothingIsLate() {
    runner
        .withPropertyValues("outbox.mode=writer-only", "outbox.health.max-lag=0ms")
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              assertThat(Boot.outboxHealth(context).status()).isEqualTo("UP");
            });
  }

  @Test
  void aTableThatCannotBeReadMakesItDown() {
    runner.run(
        context -> {
          context.getBean(Outbox.class).stop();
          context.getBean(JdbcTemplate.class).execute("DROP TABLE outbox_event");
          assertThat(Boot.outboxHealth(context).status()).isEqualTo("DOWN");
        });
  }

  @Test
  void theHealthIndicatorCanBeSwitchedOff() {
    runner
        .withPropertyValues("management.health.outbox.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("outboxHealthIndicator"));
  }

  @Test
  void aStoreThatCannotTellIsUp() {
    runner
        .withUserConfiguration(AutoConfigurationTest.Own.class)
        .run(context -> assertThat(Boot.outboxHealth(context).status()).isEqualTo("UP"));
  }
}
