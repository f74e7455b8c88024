package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.fakes.CapturedLogs;
import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class ConditionsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final Conditions conditions = new Conditions(now::get);

  @Test
  void aConditionIsListedFromWhenItBeganUntilItEnds() {
    conditions.raise(Kind.SECOND_PROCESS, "another one");
    now.set(START.plusSeconds(5));
    conditions.raise(Kind.CANNOT_WORK, "no connection");
    conditions.raise(Kind.SECOND_PROCESS, "two others");

    assertThat(conditions.list())
        .containsExactly(
            new Condition(Kind.CANNOT_WORK, START.plusSeconds(5), "no connection"),
            new Condition(Kind.SECOND_PROCESS, START, "two others"));

    conditions.clear(Kind.CANNOT_WORK);
    conditions.clear(Kind.CANNOT_WORK);
    conditions.clear(Kind.SECOND_PROCESS);
    assertThat(conditions.list()).isEmpty();
  }

  @Test
  void theListIsASnapshot() {
    conditions.raise(Kind.CANNOT_WORK, "no connection");
    var before = conditions.list();
    conditions.clear(Kind.CANNOT_WORK);

    assertThat(before).hasSize(1);
    assertThatThrownBy(before::clear).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void itIsLoggedWhenItBeginsAndWhenItEnds() {
    conditions.raise(Kind.CANNOT_WORK, "no connection");
    conditions.raise(Kind.CANNOT_WORK, "no connection");
    conditions.raise(Kind.SECOND_PROCESS, "another one");
    conditions.clear(Kind.CANNOT_WORK);
    conditions.clear(Kind.CANNOT_WORK);

    assertThat(CapturedLogs.of(Conditions.class, Level.SEVERE)).containsExactly("no connection");
    assertThat(CapturedLogs.of(Conditions.class, Level.WARNING)).containsExactly("another one");
    assertThat(CapturedLogs.of(Conditions.class, Level.INFO))
        .containsExactly("no longer the case: no connection");
  }

  @Test
  void onlyANodeThatCannotWorkIsAFailure() {
    assertThat(Kind.values()).filteredOn(Kind::isFailure).containsExactly(Kind.CANNOT_WORK);
  }
}
