package io.outbox.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.spring.boot.OutboxProperties;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** What a node says about itself is part of its health. */
class HealthCheckTest {

  private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00Z");

  private static HealthCheck.Result healthWith(Kind... kinds) throws SQLException {
    List<Condition> conditions =
        List.of(kinds).stream().map(kind -> new Condition(kind, SINCE, "because")).toList();
    TableInspector nothing = new TableInspector(new DefaultListableBeanFactory());
    OutboxProperties defaults =
        new Binder(new MapConfigurationPropertySource())
            .bindOrCreate("outbox", OutboxProperties.class);
    return new HealthCheck(nothing, () -> conditions, defaults).run();
  }

  @Test
  void withoutConditionsItIsUp() throws SQLException {
    assertThat(healthWith()).isEqualTo(new HealthCheck.Result(true, Map.of()));
  }

  @Test
  void aNodeThatCannotWorkIsDown() throws SQLException {
    HealthCheck.Result health = healthWith(Kind.CANNOT_WORK);

    assertThat(health.up()).isFalse();
    assertThat(health.details())
        .containsEntry(
            "conditions",
            List.of(
                Map.of(
                    "kind",
                    Kind.CANNOT_WORK,
                    "since",
                    "2026-01-01T00:00:00Z",
                    "message",
                    "because")));
  }

  @Test
  void R22_aNodeThatWaitsForAnotherModeSaysSoAndIsUp() throws SQLException {
    HealthCheck.Result health = healthWith(Kind.WAITS_FOR_OTHER_MODE, Kind.SECOND_PROCESS);

    assertThat(health.up()).isTrue();
    assertThat(health.details()).containsOnlyKeys("conditions");
  }
}
