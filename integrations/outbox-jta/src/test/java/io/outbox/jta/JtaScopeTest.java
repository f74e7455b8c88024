package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends that transaction managers report. */
class JtaScopeTest {

  private final List<String> calls = new ArrayList<>();
  private final JtaScope scope = new JtaScope(new NoRegistry(), new JdbcDataSource());

  @BeforeEach
  void register() {
    scope.afterCommit(() -> calls.add("committed"));
    scope.afterRollback(() -> calls.add("rolled back"));
  }

  @Test
  void aCommitIsACommit() {
    scope.afterCompletion(Status.STATUS_COMMITTED);
    assertThat(calls).containsExactly("committed");
  }

  @ParameterizedTest
  @ValueSource(ints = {Status.STATUS_UNKNOWN, Status.STATUS_ROLLEDBACK, Status.STATUS_COMMITTING})
  void R1_everyOtherEndCountsAsARollbackAndThePollerDelivers(int status) {
    scope.afterCompletion(status);
    assertThat(calls).containsExactly("rolled back");
  }

  @Test
  void R1_aCallbackThatComesTooLateIsRefused() {
    scope.afterCompletion(Status.STATUS_ROLLEDBACK);
    assertThatIllegalStateException()
        .isThrownBy(() -> scope.afterCommit(() -> {}))
        .withMessageContaining("has ended");
    scope.afterCompletion(Status.STATUS_ROLLEDBACK);
    assertThat(calls).containsExactly("rolled back");
  }

  /** Of a thread that is in a transaction. */
  private static final class NoRegistry implements TransactionSynchronizationRegistry {
    @Override
    public Object getTransactionKey() {
      return "transaction";
    }

    @Override
    public void putResource(Object key, Object value) {}

    @Override
    public Object getResource(Object key) {
      return null;
    }

    @Override
    public void registerInterposedSynchronization(Synchronization synchronization) {}

    @Override
    public int getTransactionStatus() {
      return Status.STATUS_ACTIVE;
    }

    @Override
    public void setRollbackOnly() {}

    @Override
    public boolean getRollbackOnly() {
      return false;
    }
  }
}
