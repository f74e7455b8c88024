package io.outbox.quarkus.deployment;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class H2TransactionsTest extends TransactionsContract {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      shop()
          .overrideConfigKey(
              "quarkus.datasource.jdbc.url", "jdbc:h2:mem:transactions;DB_CLOSE_DELAY=-1")
          .overrideConfigKey("quarkus.datasource.jdbc.transactions", "xa")
          .overrideConfigKey("quarkus.transaction-manager.enable-recovery", "true");
}
