package io.outbox.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventIdsTest {

  private final EventIds ids = new EventIds("letters");

  @ParameterizedTest
  @ValueSource(strings = {"01JQ0V6Z0Y8Q4T1M2N3P4R5S6T", "4D47E190-0402-4048-bc2c-89dd54343cdc"})
  void whatIsUniqueStays(String id) {
    assertThat(ids.of(id)).isEqualTo(id);
  }

  @Test
  void aUuidInBytesIsWritten() {
    byte[] bytes = new byte[16];
    bytes[15] = 7;
    assertThat(ids.of(bytes)).isEqualTo("00000000-0000-0000-0000-000000000007");
  }

  @Test
  void whatAnotherTableMayHaveTooBecomesAUuidOfItsTable() {
    String id = ids.of(17L);

    assertThat(UUID.fromString(id).version()).isEqualTo(8);
    assertThat(UUID.fromString(id).variant()).isEqualTo(2);
    assertThat(ids.of("17")).isEqualTo(id);
    assertThat(ids.of(18L)).isNotEqualTo(id);
    assertThat(new EventIds("parcels").of(17L)).isNotEqualTo(id);
    // the same in every version, or importing again would double everything
    assertThat(id).isEqualTo("81572535-c0b9-8baa-b0b8-5960ca0b578c");
  }
}
