package io.outbox.spring;

import jakarta.persistence.EntityManager;
import java.util.List;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends the changes that JPA holds back in the transactions of the calling thread to the database.
 * The only class that needs JPA.
 */
final class JpaFlush implements Runnable {

  private record Pending(Object factory, EntityManager changes) {}

  @Override
  public void run() {
    List<Pending> all = pending();
    if (!all.isEmpty() && !JpaCallback.isUnderWay()) {
      all.forEach(JpaFlush::flush);
    }
  }

  /** A copy: a flush may bind further resources. */
  private static List<Pending> pending() {
    return TransactionSynchronizationManager.getResourceMap().entrySet().stream()
        .filter(resource -> resource.getValue() instanceof EntityManagerHolder)
        .map(
            resource ->
                new Pending(
                    resource.getKey(),
                    ((EntityManagerHolder) resource.getValue()).getEntityManager()))
        .filter(pending -> canBeFlushed(pending.changes()))
        .toList();
  }

  /** An EntityManager that is bound for a whole request may be in no transaction. */
  private static boolean canBeFlushed(EntityManager changes) {
    return changes.isJoinedToTransaction() && !changes.getTransaction().getRollbackOnly();
  }

  private static void flush(Pending pending) {
    try {
      pending.changes().flush();
    } catch (RuntimeException e) {
      throw translated(e, pending.factory());
    }
  }

  /** As at the commit, where the changes would have been flushed otherwise. */
  private static RuntimeException translated(RuntimeException e, Object factory) {
    return factory instanceof EntityManagerFactoryInfo info && info.getJpaDialect() != null
        ? DataAccessUtils.translateIfNecessary(e, info.getJpaDialect())
        : e;
  }
}
