package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.tx.ThreadLocalTxContext;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InboxSettingsTest {

  private final Inbox inbox =
      Inbox.builder()
          .connectionProvider(
              () -> {
                throw new SQLException("nobody there", "08001");
              })
          .build();

  @Test
  void whatCannotBeStoredIsRefused() {
    assertRefused(null, "c", "the event id must not be null");
    assertRefused("e", null, "the consumer must not be null");
    assertRefused(" ", "c", "the event id must not be empty");
    assertRefused("e", "", "the consumer must not be empty");
    assertRefused("x".repeat(256), "c", "the event id has 256 characters, at most 255");
    assertRefused("e", "x".repeat(129), "the consumer has 129 characters, at most 128");
    assertRefused("e\0", "c", "the event id contains a NUL character");
    assertRefused("e", "\uD83D", "the consumer has half a surrogate pair");
  }

  private void assertRefused(String eventId, String consumer, String message) {
    assertThatThrownBy(() -> inbox.processOnce(eventId, consumer, conn -> {}))
        .isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aDatabaseThatIsAwayIsReported() {
    assertThatThrownBy(() -> inbox.processOnce("e-1", "billing", conn -> {}))
        .isInstanceOf(InboxException.class)
        .hasMessage(
            "could not begin a transaction to process event e-1 for consumer billing (inbox table"
                + " inbox_event): nobody there (SQLState 08001, code 0)");
  }

  @Test
  void anInboxHasTransactionsOfItsOwnOrOfItsCallers() {
    assertThatThrownBy(() -> Inbox.builder().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("an inbox needs either a DataSource");
    Inbox.Builder both =
        Inbox.builder().connectionProvider(() -> null).txContext(new ThreadLocalTxContext());
    assertThatThrownBy(both::build).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "1a", "a;DROP TABLE b", "a.b.c", "a\"", "a-b"})
  void aNameThatIsNoneOfATableIsRefused(String name) {
    assertThatThrownBy(() -> Inbox.builder().tableName(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a table name");
  }

  @Test
  void aLongNameIsRefused() {
    assertThatThrownBy(() -> Inbox.builder().tableName("x".repeat(51)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 50");
  }

  @Test
  void aPurgeHasALimit() {
    assertThatThrownBy(() -> inbox.purge(Instant.now(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limit must be at least 1: 0");
  }

  @ParameterizedTest
  @CsvSource({"h2", "postgresql", "mysql", "MariaDB"})
  void theDdlIsForTheTable(String product) {
    assertThat(InboxSchema.ddl(product, "billing.received"))
        .contains("CREATE TABLE IF NOT EXISTS billing.received (")
        .contains(" received_processed ")
        .doesNotContain("inbox_event");
  }

  @Test
  void thereIsNoDdlForOtherProducts() {
    assertThatThrownBy(() -> InboxSchema.ddl("oracle", "inbox_event"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no inbox for 'oracle'");
  }
}
