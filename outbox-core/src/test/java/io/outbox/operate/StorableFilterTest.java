package io.outbox.operate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** R17: a time that no database can compare is refused at once; found by fuzzing. */
class StorableFilterTest {

  static Stream<UnaryOperator<EventFilter.Builder>> conditions() {
    return Stream.of(
        filter -> filter.createdFrom(Instant.MIN),
        filter -> filter.createdUntil(Instant.MAX),
        filter -> filter.leasedBefore(Instant.parse("0999-12-31T23:59:59Z")));
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void aFilterRefusesIt(UnaryOperator<EventFilter.Builder> condition) {
    assertThatThrownBy(() -> condition.apply(EventFilter.builder()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be between 1000-01-01T00:00:00Z and 9999-12-31");
  }

  @Test
  void anActionRefusesIt() {
    assertThatThrownBy(() -> new OperatorAction.Reschedule(Instant.MAX))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the time must be between");
  }
}
