package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table in partitions is as good as any other, but an id is taken only within a partition. */
class RotatedOutboxStoreContractTest extends JdbcOutboxStoreContract {

  RotatedOutboxStoreContractTest() {
    super(Target.POSTGRES_ROTATED);
  }

  @Test
  void theEventsOfATestAreInTwoPartitions() throws SQLException {
    try (Connection conn = openConnection()) {
      for (int i = 0; i < 3; i++) {
        store.insertNew(conn, EventEnvelope.ofJson("Tested", "{}"));
      }
      assertThat(
              new JdbcTemplate()
                  .query(
                      conn,
                      "SELECT DISTINCT tableoid::regclass::text FROM outbox_event ORDER BY 1",
                      row -> row.getString(1)))
          .containsExactly("outbox_event_s1", "outbox_event_s10001");
    }
  }

  private void inOnePartition() throws SQLException {
    try (Connection conn = openConnection()) {
      Target.countFrom(conn, 1);
    }
  }

  @Test
  @Override
  protected void anIdIsTakenOnce() throws SQLException {
    inOnePartition();
    super.anIdIsTakenOnce();
  }

  @Test
  @Override
  void anIdThatIsTakenIsNamed() throws SQLException {
    inOnePartition();
    super.anIdThatIsTakenIsNamed();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 1_200})
  @Override
  protected void R17_ifOneEventIsRefusedNoneIsStored(int size) throws SQLException {
    inOnePartition();
    super.R17_ifOneEventIsRefusedNoneIsStored(size);
  }

  @Test
  @Override
  protected void R17_anIdTwiceInOneBatchIsRefused() throws SQLException {
    inOnePartition();
    super.R17_anIdTwiceInOneBatchIsRefused();
  }
}
