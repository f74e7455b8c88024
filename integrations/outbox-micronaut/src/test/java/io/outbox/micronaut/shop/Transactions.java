package io.outbox.micronaut.shop;

import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;

/** Runs work in all sorts of transactions. */
@Singleton
@Requires(property = "spec", value = "shop")
public class Transactions {

  /** What is done in a transaction. */
  public interface Work {
    void run() throws Exception;
  }

  @Transactional
  public void required(Work work) throws Exception {
    work.run();
  }

  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void requiresNew(Work work) throws Exception {
    work.run();
  }

  @Transactional(propagation = Propagation.NOT_SUPPORTED)
  public void notSupported(Work work) throws Exception {
    work.run();
  }

  @Transactional(propagation = Propagation.NESTED)
  public void nested(Work work) throws Exception {
    work.run();
  }

  @Transactional(readOnly = true)
  public void readOnly(Work work) throws Exception {
    work.run();
  }
}
