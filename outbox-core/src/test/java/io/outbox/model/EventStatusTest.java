package io.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventStatusTest {

  @ParameterizedTest
  @CsvSource({"NEW, 0, true", "DONE, 1, false", "RETRY, 2, true", "DEAD, 3, false"})
  void theNumbersAreThoseOfTheTable(EventStatus status, int code, boolean pending) {
    assertThat(status.code()).isEqualTo(code);
    assertThat(EventStatus.fromCode(code)).isEqualTo(status);
    assertThat(status.isPending()).isEqualTo(pending);
  }

  @Test
  void thereAreFour() {
    assertThat(EventStatus.values()).hasSize(4);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 4, 99})
  void anotherNumberMeansNothing(int code) {
    assertThatThrownBy(() -> EventStatus.fromCode(code))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(String.valueOf(code));
  }
}
