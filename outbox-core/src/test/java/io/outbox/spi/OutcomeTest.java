package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class OutcomeTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");
  private final EventRef ref = EventRef.any("id");

  @Test
  void thereIsOneForEachEnd() {
    assertThat(Outcome.done(ref, 1, AT)).isEqualTo(new Outcome(ref, EventStatus.DONE, 1, AT, null));
    assertThat(Outcome.retry(ref, 2, AT, "why"))
        .isEqualTo(new Outcome(ref, EventStatus.RETRY, 2, AT, "why"));
    assertThat(Outcome.dead(ref, 3, AT, "why"))
        .isEqualTo(new Outcome(ref, EventStatus.DEAD, 3, AT, "why"));
    assertThat(Outcome.deferred(ref, 4, AT))
        .isEqualTo(new Outcome(ref, EventStatus.NEW, 4, AT, null));
    assertThat(Outcome.deleted(ref, 1, AT))
        .isEqualTo(new Outcome(ref, EventStatus.DONE, 1, AT, null, true));
    assertThat(Outcome.done(ref, 1, AT).deletesRow()).isFalse();
    assertThat(Outcome.done(ref, 1, AT).eventId()).isEqualTo("id");
  }

  @Test
  void onlyWhatIsDoneIsDeleted() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Outcome(ref, EventStatus.DEAD, 1, AT, "why", true))
        .withMessage("only an event that is DONE may be deleted; event id is DEAD");
  }

  @Test
  void theErrorIsMadeStorable() {
    String error = Outcome.retry(ref, 1, AT, "\0 \ud83d " + "x".repeat(9_000)).error();

    assertThat(error).startsWith("\ufffd \ufffd x").hasSize(4_000);
    assertThat(Outcome.dead(ref, 1, AT, null).error()).isNull();
  }

  @Test
  void nothingIsMissing() {
    assertThatNullPointerException().isThrownBy(() -> Outcome.done(null, 1, AT));
    assertThatNullPointerException().isThrownBy(() -> Outcome.done(ref, 1, null));
    assertThatNullPointerException().isThrownBy(() -> new Outcome(ref, null, 1, AT, null));
  }
}
