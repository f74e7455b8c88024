package io.outbox.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.internal.OwnWork;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpandingTest {

  private final Expanding expanding = new Expanding(EventEnvelope.ofJson("Tested", "{}"));

  /** Another node would find no copies yet, and deliver them again. */
  @Test
  void R3_aForcedEndOfTheEngineDoesNotGiveTheEventAwayBeforeItsRowsAreWritten() {
    assertThat(expanding.answer.cancel(true)).isFalse();
    assertThat(expanding.answer).isNotDone();
    assertThat(expanding.isOver()).isFalse();

    expanding.begin(List.of(), false, () -> {});
    expanding.written();

    assertThat(expanding.isOver()).isTrue();
    assertThat(expanding.answer).isCompletedWithValue(OwnWork.FOR_ANOTHER);
  }
}
