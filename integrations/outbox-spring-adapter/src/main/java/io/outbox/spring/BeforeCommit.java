package io.outbox.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * What is to run before the commit of a transaction, after the callbacks of others, which may write
 * events. Spring rolls back if it throws.
 */
final class BeforeCommit implements TransactionSynchronization {

  private final List<Runnable> actions = new ArrayList<>();

  void add(Runnable action) {
    actions.add(action);
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    actions.forEach(Runnable::run);
  }
}
