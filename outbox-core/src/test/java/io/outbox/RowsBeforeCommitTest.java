package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.BatchHook.Batch;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RowsBeforeCommitTest {

  /** Remembers what is to run before the commit. */
  private static final class Context implements TxContext {
    private final List<Runnable> beforeCommit = new ArrayList<>();

    @Override
    public boolean isTransactionActive() {
      return true;
    }

    @Override
    public Connection currentConnection() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void afterCommit(Runnable callback) {}

    @Override
    public void afterRollback(Runnable callback) {}

    @Override
    public boolean beforeCommit(Runnable callback) {
      return beforeCommit.add(callback);
    }
  }

  private final class InMemory implements Batch {
    @Override
    public Collection<String> idsInMemory() {
      return List.of("there", "gone");
    }

    @Override
    public void found(Set<String> ids) {
      found.addAll(ids);
    }

    @Override
    public void committed() {}

    @Override
    public void rolledBack() {}
  }

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final Context context = new Context();
  private final List<String> found = new ArrayList<>();

  @BeforeEach
  void write() throws SQLException {
    store.losesRows = true;
    Connection conn = database.getConnection();
    store.insertNew(conn, Events.event("there"));
    new RowsBeforeCommit(context, store).add(conn, new InMemory());
  }

  @Test
  void R2_theBatchLearnsWhichRowsAreThere() {
    context.beforeCommit.forEach(Runnable::run);

    assertThat(found).containsExactly("there");
  }

  /** It may be how the database says that it has rolled back: a commit would commit nothing. */
  @Test
  void R1_aFailureReachesTheTransaction() {
    store.before(
        "findExisting",
        ids -> {
          throw new IllegalStateException("deadlock");
        });

    assertThatIllegalStateException()
        .isThrownBy(() -> context.beforeCommit.forEach(Runnable::run))
        .withMessage("deadlock");
    assertThat(found).isEmpty();
  }
}
