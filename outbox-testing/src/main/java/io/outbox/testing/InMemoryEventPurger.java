package io.outbox.testing;

import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;

/** Deletes old events of an {@link InMemoryDatabase}. Thread-safe. */
public final class InMemoryEventPurger implements EventPurger {

  private final InMemoryDatabase database;
  private final BiPredicate<Row, Instant> isOld;

  private InMemoryEventPurger(InMemoryDatabase database, BiPredicate<Row, Instant> isOld) {
    this.database = Objects.requireNonNull(database, "database");
    this.isOld = isOld;
  }

  /** Deletes events that became DONE or DEAD long ago. */
  public static InMemoryEventPurger ofFinished(InMemoryDatabase database) {
    return new InMemoryEventPurger(database, InMemoryEventPurger::endedBefore);
  }

  /** Deletes events that were created long ago, whatever their status is. */
  public static InMemoryEventPurger byAge(InMemoryDatabase database) {
    return new InMemoryEventPurger(database, (row, before) -> row.createdAt().isBefore(before));
  }

  private static boolean endedBefore(Row row, Instant before) {
    boolean finished =
        row.status == EventStatus.DONE.code() || row.status == EventStatus.DEAD.code();
    Instant ended = row.doneAt == null ? row.createdAt() : row.doneAt;
    return finished && ended.isBefore(before);
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    return database.execute(
        conn,
        StoreOperation.PURGE,
        List.of(),
        session -> {
          List<Row> old =
              session
                  .rows(row -> isOld.test(row, before) && !session.isLockedByOther(row.id()))
                  .stream()
                  .limit(limit)
                  .toList();
          old.forEach(row -> session.delete(row.id()));
          return old.size();
        });
  }
}
