package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadOnlyTransactionTest {

  /** H2 knows no read-only transactions. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void R16_aWriteInAReadOnlyTransactionSaysSo(Target target) throws SQLException {
    try (Connection conn = target.connect()) {
      conn.setAutoCommit(false);
      new JdbcTemplate().update(conn, "SET TRANSACTION READ ONLY");
      assertThatThrownBy(() -> target.store().insertNew(conn, EventEnvelope.ofJson("Tested", "{}")))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining("the transaction is read-only");
      conn.rollback();
    }
  }
}
