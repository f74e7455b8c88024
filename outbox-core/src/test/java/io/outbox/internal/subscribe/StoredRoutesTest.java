package io.outbox.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.OutageException;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.store.StoreSession;
import io.outbox.spi.SubscriptionStore;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class StoredRoutesTest {

  private static StoredRoutes whereReadingFailsWith(String sqlState) {
    FakeDatabase database = new FakeDatabase();
    SubscriptionStore store =
        (SubscriptionStore)
            Proxy.newProxyInstance(
                SubscriptionStore.class.getClassLoader(),
                new Class<?>[] {SubscriptionStore.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException(new SQLException("fails on purpose", sqlState));
                });
    return new StoredRoutes(new StoreSession(database, new FakeStore(database)), store);
  }

  /** Or its events would go to the node's own listener, and no subscription would get them. */
  @Test
  void R1_aReadThatTookTooLongDoesNotMeanThatThereAreNoSubscriptions() {
    try (StoredRoutes routes = whereReadingFailsWith("57014")) {
      routes.start();
      assertThatExceptionOfType(OutageException.class).isThrownBy(routes::requireKnown);
    }
  }

  @Test
  void whoMayNotReadSubscriptionsHasNone() {
    try (StoredRoutes routes = whereReadingFailsWith("42501")) {
      routes.start();
      routes.requireKnown();
      assertThat(routes.areExpanded("Order", "Placed")).isFalse();
    }
  }
}
