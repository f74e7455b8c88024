package io.outbox.spring.boot.wiring;

import io.outbox.spring.SpringTxContext;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;

/** Lets the transaction contexts that are in use know of every transaction that begins. */
public final class TransactionListening implements SmartInitializingSingleton {

  private final ConfigurableListableBeanFactory beans;

  public TransactionListening(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanNamesForType(SpringTxContext.class, false, false)) {
      if (beans.containsSingleton(name)) { // no need to make one that nobody uses
        listen(beans.getBean(name, SpringTxContext.class));
      }
    }
  }

  private void listen(SpringTxContext context) {
    beans.getBeanProvider(ConfigurableTransactionManager.class).stream()
        .filter(manager -> !manager.getTransactionExecutionListeners().contains(context))
        .forEach(manager -> manager.addListener(context));
  }
}
