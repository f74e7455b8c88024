package io.outbox.inbox;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.spi.ConnectionProvider;
import java.sql.SQLException;
import java.time.Instant;

/** A transaction for each event. */
final class OwnTransactions implements Transactions {

  /** Of many that wait for one that fails, a database may let all but one fail, and again. */
  private static final int ATTEMPTS = 5;

  private enum Outcome {
    PROCESSED,
    DUPLICATE,
    CONFLICT
  }

  private final ConnectionProvider connections;
  private final InboxRows rows;

  OwnTransactions(ConnectionProvider connections, InboxRows rows) {
    this.connections = connections;
    this.rows = rows;
  }

  @Override
  public <X extends Exception> boolean processOnce(InboxEntry entry, InboxAction<X> action)
      throws X {
    Outcome outcome = Outcome.CONFLICT;
    for (int attempt = 1; outcome == Outcome.CONFLICT; attempt++) {
      outcome = attempt(entry, action, attempt == ATTEMPTS);
    }
    return outcome == Outcome.PROCESSED;
  }

  private <X extends Exception> Outcome attempt(
      InboxEntry entry, InboxAction<X> action, boolean last) throws X {
    try (OwnTransaction tx = begin("process " + entry)) {
      Outcome outcome = remember(tx, entry, last);
      if (outcome == Outcome.PROCESSED) {
        action.run(tx.connection());
        commit(tx, entry);
      }
      return outcome;
    }
  }

  /** A conflict here is harmless: the action has not run. */
  private Outcome remember(OwnTransaction tx, InboxEntry entry, boolean last) {
    try {
      return rows.insert(tx.connection(), entry, rows.now())
          ? Outcome.PROCESSED
          : Outcome.DUPLICATE;
    } catch (SQLException e) {
      if (!last && SqlFailures.isConflict(e)) {
        return Outcome.CONFLICT;
      }
      throw SqlFailures.describe("remember " + entry, rows.table(), e);
    }
  }

  private void commit(OwnTransaction tx, InboxEntry entry) {
    try {
      tx.commit();
    } catch (SQLException e) {
      throw SqlFailures.describe("commit what was done for " + entry, rows.table(), e);
    }
  }

  @Override
  public int purge(Instant before, int limit) {
    try (OwnTransaction tx = begin("purge")) {
      int count = rows.purge(tx.connection(), before, limit);
      tx.commit();
      return count;
    } catch (SQLException e) {
      throw SqlFailures.describe("purge", rows.table(), e);
    }
  }

  private OwnTransaction begin(String purpose) {
    try {
      return OwnTransaction.begin(connections);
    } catch (SQLException e) {
      throw SqlFailures.describe("begin a transaction to " + purpose, rows.table(), e);
    }
  }
}
