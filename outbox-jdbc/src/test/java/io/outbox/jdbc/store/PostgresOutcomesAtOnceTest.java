package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which outcomes PostgreSQL writes with one statement, so that they need no transaction. */
class PostgresOutcomesAtOnceTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");

  private final PostgresOutboxStore store = new PostgresOutboxStore();

  private static Outcome done(String id) {
    return Outcome.done(EventRef.any(id), 0, AT);
  }

  private static List<Outcome> done(int count) {
    return IntStream.range(0, count).mapToObj(n -> done("e" + n)).toList();
  }

  @Test
  void fewOfOneKind() {
    assertThat(store.recordsAtOnce(done(1))).isTrue();
    assertThat(store.recordsAtOnce(done(20))).isTrue();
  }

  @Test
  void notThoseThatArePlannedAnew() {
    assertThat(store.recordsAtOnce(done(21))).isFalse();
  }

  @Test
  void notThoseOfTwoKinds() {
    Outcome retry = Outcome.retry(EventRef.any("r"), 1, AT, "why");
    assertThat(store.recordsAtOnce(List.of(done("d"), retry))).isFalse();
    assertThat(store.recordsAtOnce(List.of(retry))).isTrue();
  }

  @Test
  void notTwoOfOneEvent() {
    assertThat(store.recordsAtOnce(Stream.of("e", "e").map(id -> done(id)).toList())).isFalse();
  }

  @Test
  void notOnDatabasesThatLockWithAStatementBefore() {
    assertThat(new MySqlOutboxStore().recordsAtOnce(done(1))).isFalse();
    assertThat(new H2OutboxStore().recordsAtOnce(done(1))).isFalse();
  }
}
