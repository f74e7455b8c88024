package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.inbox.Inbox;
import io.outbox.inbox.InboxSchema;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** An inbox in the transactions of Spring. */
class InboxTest {

  // snippet: boot-inbox
  @Component
  static class Billing {

    private final Inbox inbox;
    private final JdbcTemplate jdbc;

    Billing(Inbox inbox, JdbcTemplate jdbc) {
      this.inbox = inbox;
      this.jdbc = jdbc;
    }

    @Transactional
    public void orderPlaced(String eventId, String orderId) { // called by a consumer
      inbox.processOnce(
          eventId, "billing", conn -> jdbc.update("INSERT INTO invoice VALUES (?)", orderId));
    } // the invoice and the event's id are committed together
  }

  // end

  private final ApplicationContextRunner runner =
      Outboxes.runner().withUserConfiguration(Billing.class);

  private static void createInvoices(ApplicationContext context) {
    jdbc(context).execute("CREATE TABLE invoice (order_id VARCHAR(20))");
  }

  private static JdbcTemplate jdbc(ApplicationContext context) {
    return context.getBean(JdbcTemplate.class);
  }

  private static List<String> invoices(ApplicationContext context) {
    return jdbc(context).queryForList("SELECT order_id FROM invoice", String.class);
  }

  private static List<String> remembered(ApplicationContext context) {
    return jdbc(context).queryForList("SELECT event_id FROM inbox_event", String.class);
  }

  @Test
  void aTransactionalConsumerProcessesAnEventOnce() {
    runner.run(
        context -> {
          createInvoices(context);
          Billing billing = context.getBean(Billing.class);
          billing.orderPlaced("event-1", "A-17");
          billing.orderPlaced("event-1", "A-17");
          billing.orderPlaced("event-2", "A-18");
          assertThat(invoices(context)).containsExactly("A-17", "A-18");
          assertThat(remembered(context)).containsExactlyInAnyOrder("event-1", "event-2");
        });
  }

  @Test
  void aFailureIsRolledBackWithTheEvent() {
    runner.run(
        context -> {
          Billing billing = context.getBean(Billing.class);
          assertThatThrownBy(() -> billing.orderPlaced("event-1", "A-17"))
              .hasMessageContaining("INSERT INTO invoice"); // there is no such table yet
          createInvoices(context);
          billing.orderPlaced("event-1", "A-17");
          assertThat(invoices(context)).containsExactly("A-17");
        });
  }

  @Test
  void outsideOfATransactionItRefuses() {
    runner.run(
        context -> {
          Inbox inbox = context.getBean(Inbox.class);
          assertThatThrownBy(() -> inbox.processOnce("event-1", "billing", conn -> {}))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("there is no active transaction");
        });
  }

  @Test
  void itWorksWithoutAnOutbox() {
    runner
        .withPropertyValues("outbox.enabled=false")
        .run(
            context -> {
              assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class);
              createInvoices(context);
              context.getBean(Billing.class).orderPlaced("event-1", "A-17");
              context.getBean(Billing.class).orderPlaced("event-1", "A-17");
              assertThat(invoices(context)).containsExactly("A-17");
            });
  }

  @Test
  void whoDoesNotUseItNeedsNoTable() {
    Outboxes.runner()
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(
                      jdbc(context)
                          .queryForList(
                              "SELECT table_name FROM information_schema.tables", String.class))
                  .noneMatch(name -> name.equalsIgnoreCase("inbox_event"));
            });
    runner
        .withClassLoader(new FilteredClassLoader(Inbox.class))
        .run(context -> assertThat(context).hasFailed()); // Billing needs one
    Outboxes.runner()
        .withClassLoader(new FilteredClassLoader(Inbox.class))
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void aMissingTableEndsTheStartUnlessItIsToBeCreated() {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      ApplicationContextRunner onPostgres =
          runner.withPropertyValues(
              "outbox.enabled=false",
              "spring.datasource.url=" + database.jdbcUrl(),
              "spring.datasource.username=" + database.user(),
              "spring.datasource.password=" + database.password());
      onPostgres.run(
          context ->
              assertThat(context).getFailure().rootCause().hasMessageContaining("inbox_event"));
      onPostgres
          .withPropertyValues("outbox.schema.initialize=always", "outbox.inbox.table-name=received")
          .run(context -> assertThat(context).hasNotFailed());
      InboxSchema.validate(database.dataSource(), "received");
    }
  }

  @Test
  void aWrongNameIsReported() {
    runner
        .withPropertyValues("outbox.inbox.table-name=no name")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                        "The property outbox.inbox.table-name cannot be used"));
  }

  @Test
  void oldEventsAreForgotten() {
    runner
        .withPropertyValues(
            "outbox.inbox.purge.enabled=true",
            "outbox.inbox.purge.retention=1h",
            "outbox.inbox.purge.interval-seconds=1")
        .run(
            context -> {
              createInvoices(context);
              context.getBean(Billing.class).orderPlaced("new", "A-17");
              Inbox then =
                  Inbox.builder()
                      .dataSource(context.getBean(DataSource.class))
                      .clock(Clock.fixed(Instant.parse("2020-01-01T00:00:00Z"), ZoneOffset.UTC))
                      .build();
              then.processOnce("old", "billing", conn -> {});
              Await.until(
                  "the old event is forgotten",
                  Outboxes.SOON,
                  () -> remembered(context).equals(List.of("new")));
              assertThat(context).hasSingleBean(OutboxPurgeScheduler.class);
            });
    runner.run(context -> assertThat(context).doesNotHaveBean(OutboxPurgeScheduler.class));
  }

  @Test
  void anInboxOfTheApplicationsOwnIsUsed() {
    Inbox own = Inbox.builder().connectionProvider(() -> null).build();
    Outboxes.runner()
        .withBean(Inbox.class, () -> own)
        .run(context -> assertThat(context.getBean(Inbox.class)).isSameAs(own));
  }

  @Test
  void eventsWrittenInTheActionAreDeliveredWithIt() {
    runner.run(
        context -> {
          createInvoices(context);
          Inbox inbox = context.getBean(Inbox.class);
          context
              .getBean(TransactionTemplate.class)
              .executeWithoutResult(
                  tx ->
                      inbox.processOnce(
                          "event-1",
                          "billing",
                          conn ->
                              context.getBean(OutboxWriter.class).write("InvoiceCreated", "{}")));
          assertThat(jdbc(context).queryForObject("SELECT count(*) FROM outbox_event", int.class))
              .isOne();
        });
  }
}
