package io.outbox;

import io.outbox.internal.BatchHook.Batch;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Looks, once per transaction and right before its commit, whether the rows are there that are to
 * be delivered from memory. A database that answers a deadlock by rolling back the whole
 * transaction tells nobody: the application may repeat the failed statement and commit.
 * Thread-safe.
 */
final class RowsBeforeCommit {

  private final TxContext txContext;
  private final OutboxStore store;
  private final ThreadLocal<Check> current = new ThreadLocal<>();

  RowsBeforeCommit(TxContext txContext, OutboxStore store) {
    this.txContext = txContext;
    this.store = store;
  }

  /** Has the rows of {@code batch} looked for; if nobody can, the engine does after the commit. */
  void add(Connection conn, Batch batch) {
    if (batch.idsInMemory().isEmpty()) {
      return;
    }
    Check check = current.get();
    if (check == null || check.conn != conn) {
      check = new Check(conn);
      if (!txContext.beforeCommit(check::run)) {
        return;
      }
      txContext.afterRollback(check::end);
      current.set(check);
    }
    check.batches.add(batch);
  }

  /** The rows of one transaction. */
  private final class Check {
    private final Connection conn;
    private final List<Batch> batches = new ArrayList<>();

    private Check(Connection conn) {
      this.conn = conn;
    }

    private void run() {
      end();
      Collection<String> ids =
          batches.stream().flatMap(batch -> batch.idsInMemory().stream()).toList();
      if (ids.isEmpty()) {
        return;
      }
      // A failure is the transaction's: it may be how the database says that it has rolled back.
      Set<String> found = store.findExisting(conn, ids);
      batches.forEach(batch -> batch.found(found));
    }

    private void end() {
      if (current.get() == this) {
        current.remove();
      }
    }
  }
}
