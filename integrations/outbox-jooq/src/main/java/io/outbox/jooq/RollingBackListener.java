package io.outbox.jooq;

import java.util.Arrays;
import org.jooq.Configuration;
import org.jooq.TransactionContext;
import org.jooq.TransactionListener;
import org.jooq.TransactionListenerProvider;

/**
 * Another listener, whose failure does not keep jOOQ from the rollback: the thread would stay in
 * the transaction.
 */
record RollingBackListener(TransactionListener listener) implements TransactionListener {

  /** Those of {@code configuration}. */
  static TransactionListenerProvider[] of(Configuration configuration) {
    return Arrays.stream(configuration.transactionListenerProviders())
        .<TransactionListenerProvider>map(
            provider -> () -> new RollingBackListener(provider.provide()))
        .toArray(TransactionListenerProvider[]::new);
  }

  @Override
  public void beginStart(TransactionContext context) {
    listener.beginStart(context);
  }

  @Override
  public void beginEnd(TransactionContext context) {
    listener.beginEnd(context);
  }

  @Override
  public void commitStart(TransactionContext context) {
    listener.commitStart(context);
  }

  @Override
  public void commitEnd(TransactionContext context) {
    listener.commitEnd(context);
  }

  @Override
  public void rollbackStart(TransactionContext context) {
    try {
      listener.rollbackStart(context);
    } catch (RuntimeException | Error e) {
      Throwable cause = context.causeThrowable();
      if (cause != null && cause != e) {
        cause.addSuppressed(e);
      }
    }
  }

  @Override
  public void rollbackEnd(TransactionContext context) {
    listener.rollbackEnd(context);
  }
}
