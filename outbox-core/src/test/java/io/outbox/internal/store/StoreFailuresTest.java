package io.outbox.internal.store;

import static io.outbox.internal.store.StoreFailures.Kind.AWAY;
import static io.outbox.internal.store.StoreFailures.Kind.BUSY;
import static io.outbox.internal.store.StoreFailures.Kind.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StoreFailuresTest {

  static Stream<Arguments> failures() {
    return Stream.of(
        arguments("connection refused", new SQLException("", "08001"), AWAY),
        arguments("connection broken", new SQLException("", "08006"), AWAY),
        arguments("no connection", new SQLTransientConnectionException(), AWAY),
        arguments("connection closed", new SQLNonTransientConnectionException(), AWAY),
        arguments("recoverable", new SQLRecoverableException(), AWAY),
        arguments("transient", new SQLTransientException(), AWAY),
        arguments("too many connections", new SQLException("", "53300"), AWAY),
        arguments("disk full", new SQLException("", "53100"), AWAY),
        arguments("shutting down", new SQLException("", "57P01"), AWAY),
        arguments("PostgreSQL that only reads", new SQLException("", "25006"), AWAY),
        arguments("MySQL that only reads", new SQLException("", "x", 1290), AWAY),
        arguments(
            "a pool that says nothing", new StoreSession.NoConnection(new SQLException("?")), AWAY),
        arguments("idle in a transaction", new SQLException("", "25P03"), AWAY),
        arguments("MySQL after inactivity", new SQLException("", "HY000", 4031), AWAY),
        arguments("MariaDB killed it", new SQLException("", "70100", 1927), AWAY),
        arguments(
            "no answer", new SQLTimeoutException(new SocketTimeoutException("timed out")), AWAY),
        arguments("serialization", new SQLException("", "40001"), BUSY),
        arguments("PostgreSQL deadlock", new SQLException("", "40P01"), BUSY),
        arguments("lock not available", new SQLException("", "55P03"), BUSY),
        arguments("rolled back", new SQLTransactionRollbackException(), BUSY),
        arguments("MySQL deadlock", new SQLException("", "x", 1213), BUSY),
        arguments("MySQL lock timeout", new SQLException("", "x", 1205), BUSY),
        arguments("MariaDB record changed", new SQLException("", "x", 1020), BUSY),
        arguments("H2 lock timeout", new SQLTimeoutException("", "HYT00", 50200), BUSY),
        arguments("statement timeout", new SQLTimeoutException(), REFUSED),
        arguments("PostgreSQL statement timeout", new SQLException("", "57014"), REFUSED),
        arguments("syntax", new SQLSyntaxErrorException("", "42601"), REFUSED),
        arguments("constraint", new SQLIntegrityConstraintViolationException(), REFUSED),
        arguments("value too long", new SQLException("", "22001"), REFUSED),
        arguments("nothing known", new SQLException("?"), REFUSED),
        arguments("no SQL at all", new IllegalStateException("?"), REFUSED),
        arguments("an Error", new NoClassDefFoundError("?"), REFUSED));
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("failures")
  void aFailureIsJudgedByWhatTheDatabaseSaid(
      String name, Throwable failure, StoreFailures.Kind kind) {
    assertThat(StoreFailures.kindOf(failure)).isEqualTo(kind);
    assertThat(StoreFailures.kindOf(new IllegalStateException("wrapped", failure))).isEqualTo(kind);
  }

  @Test
  void causesThatGoRoundInACircleEnd() {
    Exception first = new Exception("first");
    first.initCause(new Exception("second", first));

    assertThat(StoreFailures.kindOf(first)).isEqualTo(REFUSED);
  }

  @Test
  void aBatchIsJudgedByWhatItsStatementsSaid() {
    SQLException batch = new SQLException("batch failed");
    batch.setNextException(new SQLException("deadlock", "40P01"));

    assertThat(StoreFailures.kindOf(batch)).isEqualTo(BUSY);
  }
}
