package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventStatus;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.net.InetAddress;
import java.net.UnknownHostException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What docs/console.md shows. */
class ConsoleGuideTest {

  private Database database;
  private DataSource dataSource;

  @BeforeEach
  void createTable() {
    database = TestDatabase.H2.fresh();
    dataSource = database.pooled(4);
    OutboxSchema.create(dataSource);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void theConsoleIsStartedWithADataSource() {
    // snippet: console-start
    OutboxOperator operator =
        OutboxOperator.of(
            new DataSourceConnectionProvider(dataSource), JdbcOutboxStores.detect(dataSource));

    OutboxConsole console =
        OutboxConsole.builder()
            .operator("orders", operator) // more than one, if you have more outboxes
            // end
            .port(0)
            // snippet: console-start
            .build()
            .start();
    System.out.println("The console is at " + console.url()); // http://localhost:8085/
    // end

    try (console) {
      assertThat(new TestClient(console).get("/api/outboxes/orders/overview").status())
          .isEqualTo(200);
    }
  }

  @Test
  void offThisMachineItHasUsers() throws UnknownHostException {
    OutboxOperator operator =
        OutboxOperator.of(
            new DataSourceConnectionProvider(dataSource), JdbcOutboxStores.detect(dataSource));
    String annsPassword = "correct horse";
    String bobsPassword = "battery staple";
    String token = "a-long-and-secret-token";

    // snippet: console-users
    OutboxConsole console =
        OutboxConsole.builder()
            .operator("orders", operator)
            .bindAddress(InetAddress.getByName("0.0.0.0"))
            .user("ann", annsPassword, ConsoleRole.OPERATOR)
            .user("bob", bobsPassword, ConsoleRole.READ_ONLY)
            .token("deploy-robot", token, ConsoleRole.OPERATOR) // for scripts
            .allowedHost("outbox.example.org") // the proxy in front of it
            .build();
    // end

    console.close();
    assertThat(console).isNotNull();
  }

  @Test
  void payloadsAreMasked() {
    // snippet: console-mask
    PayloadMask mask =
        event -> {
          PayloadMask.Content content = PayloadMask.Content.of(event);
          return event.eventType().startsWith("Card")
              ? content.withPayloadJson(null) // shown as hidden
              : content;
        };
    // end

    FakeOutbox fake = new FakeOutbox();
    fake.add(fake.row("e1", "CardCharged", EventStatus.DONE).payloadJson("{}"));
    assertThat(mask.show(fake.rows.get("e1")).payloadJson()).isNull();
  }
}
