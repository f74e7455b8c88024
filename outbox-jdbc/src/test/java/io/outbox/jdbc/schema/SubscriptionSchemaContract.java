package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventRoute;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link OutboxSchema#createSubscriptions} must do on every database. */
abstract class SubscriptionSchemaContract extends SchemaAdditionContract {

  private static final String TABLE = "outbox_event";
  private static final EventRoute ROUTE = new EventRoute("Order", "Placed");
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final Instant LATER = THEN.plusSeconds(1);

  SubscriptionSchemaContract(Target target) {
    super(target);
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    OutboxSchema.createSubscriptions(dataSource, table);
    assertThat(OutboxSchema.problems(dataSource, table, Addition.SUBSCRIPTIONS)).isEmpty();
    SubscriptionStore store = target.store(table).subscriptions().orElseThrow();
    try (Connection conn = dataSource.getConnection()) {
      assertThat(store.isInstalled(conn)).isTrue();
      assertThat(store.add(conn, ROUTE, "mail", THEN)).isTrue();
      assertThat(store.add(conn, ROUTE, "mail", LATER)).isFalse();
      assertThat(store.add(conn, ROUTE, "Mail", THEN)).isTrue();
      Subscription mail = new Subscription(ROUTE, "mail", THEN, null);
      assertThat(store.active(conn)).hasSize(2).contains(mail);

      assertThat(store.end(conn, ROUTE, "mail", LATER)).isTrue();
      assertThat(store.end(conn, ROUTE, "mail", LATER)).isFalse();
      assertThat(store.active(conn)).extracting(Subscription::name).containsExactly("Mail");
      assertThat(store.list(conn)).contains(new Subscription(ROUTE, "mail", THEN, LATER));
      assertThat(store.add(conn, ROUTE, "mail", LATER)).isFalse();

      assertThat(store.resume(conn, ROUTE, "Mail", LATER)).isFalse();
      assertThat(store.resume(conn, ROUTE, "mail", LATER)).isTrue();
      assertThat(store.active(conn)).contains(new Subscription(ROUTE, "mail", LATER, null));
    }
  }

  @Test
  void anEarlierTableGetsItByMigrationOrByCreate() throws SQLException {
    OutboxSchema.create(dataSource);
    execute("DROP TABLE outbox_event_subscription");
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.SUBSCRIPTIONS))
        .containsExactly("table outbox_event_subscription is missing");
    OutboxSchema.validate(dataSource); // delivery does without
    OutboxSchema.migrate(dataSource);
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.SUBSCRIPTIONS)).isEmpty();

    execute("DROP TABLE outbox_event_subscription");
    OutboxSchema.create(dataSource);
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.SUBSCRIPTIONS)).isEmpty();
  }

  @Test
  void theDdlHasTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.SUBSCRIPTIONS))
        .contains("CREATE TABLE app.my_events_subscription")
        .doesNotContain("outbox_event");
    assertThat(List.of("h2", "postgresql", "mysql", "mariadb"))
        .allSatisfy(
            product ->
                assertThat(OutboxSchema.ddl(product, TABLE, Addition.SUBSCRIPTIONS))
                    .contains("CREATE TABLE outbox_event_subscription"));
  }
}
