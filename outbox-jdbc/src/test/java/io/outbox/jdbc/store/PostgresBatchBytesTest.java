package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.spi.PendingBatch;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresBatchBytesTest extends BatchBytesContract {

  PostgresBatchBytesTest() {
    super(Target.POSTGRES, new PostgresOutboxStore());
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R13_whatIsCompressedInTheTableCountsAsLargeAsItMayBe(boolean claiming) throws SQLException {
    target.deleteAllEvents();
    try (Connection conn = target.connect()) {
      for (int i = 0; i < 10; i++) {
        store.insertNew(
            conn,
            EventEnvelope.builder("Tested")
                .occurredAt(AT.plusMillis(i))
                .payloadJson('"' + "x".repeat(1_000_000) + '"') // some 12,000 bytes in the table
                .build());
      }

      PendingBatch batch = fetch(conn, claiming, 16_000_000, null);

      assertThat(batch.events()).hasSizeBetween(1, 6);
      assertThat(batch.more()).isTrue();
    }
  }
}
