package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What no database could store is refused before the insert breaks the transaction. */
class EventEnvelopeBoundsTest {

  private static EventEnvelope.Builder event() {
    return EventEnvelope.builder("Bounded").payloadJson("{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0999-12-31T23:59:59.999999Z", "-1000000000-01-01T00:00:00Z"})
  void R17_anInstantBeforeTheYear1000IsRefused(Instant early) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> event().occurredAt(early).build())
        .withMessageContaining("occurredAt")
        .withMessageContaining(early.toString());
  }

  @Test
  void R17_anInstantAfterTheYear9999IsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> event().availableAt(Instant.MAX).build())
        .withMessageContaining("availableAt");
    assertThat(event().availableAt(Instant.parse("9999-12-31T23:59:59.999999Z")).build())
        .isNotNull();
  }

  @Test
  void R17_aDelayBeyondTheYear9999IsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> event().deliverAfter(Duration.ofSeconds(Long.MAX_VALUE)).build())
        .withMessageContaining("deliverAfter");
  }

  @Test
  void R13_headersAreBoundedInBytes() {
    String name = "ü";
    String fits = "x".repeat(EventEnvelope.MAX_HEADER_BYTES - 2);
    assertThat(event().header(name, fits).build().headers()).hasSize(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> event().header(name, fits + "x").build())
        .withMessageContaining("65537 bytes");
  }
}
