package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** TiDB has no SKIP LOCKED; played here by MariaDB with another version number. */
class WaitingLocksTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");

  private static Connection asTiDb(Connection real) {
    return proxy(
        Connection.class,
        real,
        "getMetaData",
        proxy(DatabaseMetaData.class, null, "getDatabaseProductVersion", "8.0.11-TiDB-v7.5.0"));
  }

  private static <T> T proxy(Class<T> type, T real, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, args) -> {
              if (called.getName().equals(method)) {
                return answer;
              }
              try {
                return called.invoke(real, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void withoutSkippingEverythingWorksAsBefore() throws SQLException {
    Target target = Target.MARIADB;
    target.deleteAllEvents();
    AbstractJdbcOutboxStore store = target.store();
    EventPurger purger = target.purger();
    try (Connection conn = asTiDb(target.connect())) {
      store.insertAll(
          conn,
          IntStream.range(0, 10)
              .mapToObj(i -> EventEnvelope.builder("Tested").occurredAt(AT).payloadJson("{}"))
              .map(event -> NewEvent.unleased(event.build()))
              .toList());

      List<OutboxEvent> fetched =
          store.fetchPending(conn, new PendingQuery(AT, Duration.ZERO, 4, AT, "me", null)).events();
      List<OutboxEvent> claimed = store.claimPending(conn, "me", AT, AT, Duration.ZERO, 4);
      assertThat(fetched).hasSize(4);
      assertThat(claimed).hasSize(4).doesNotContainAnyElementsOf(fetched);
      assertThat(store.recordOutcomes(conn, List.of(Outcome.done(claimed.get(0).ref(), 0, AT))))
          .containsExactly(OutcomeResult.WRITTEN);
      assertThat(purger.purge(conn, AT.plusSeconds(1), 10)).isEqualTo(1);
    }
  }
}
