package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayRunTest {

  @ParameterizedTest
  @CsvSource({
    "23505, 0, true",
    "40001, 0, true",
    "55P03, 0, true",
    "HYT00, 50200, true",
    "HY000, 1205, true",
    "HY000, 1020, true",
    "08006, 0, false",
    "42P01, 0, false",
  })
  void aBatchIsTriedAgainIfOthersAreInTheWay(String state, int code, boolean conflict) {
    SQLException cause = new SQLException("", state, code);

    assertThat(ReplayRun.isConflict(new OutboxStoreException("", cause))).isEqualTo(conflict);
  }
}
