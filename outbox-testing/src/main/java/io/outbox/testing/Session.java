package io.outbox.testing;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What one connection sees of the table: the committed rows and its own changes. Used under the
 * database's monitor only.
 */
final class Session {

  private final InMemoryDatabase database;
  private Map<String, Optional<Row>> changes = new HashMap<>();
  boolean autoCommit;
  boolean readOnly;
  boolean closed;

  Session(InMemoryDatabase database, boolean autoCommit) {
    this.database = database;
    this.autoCommit = autoCommit;
  }

  InMemoryDatabase database() {
    return database;
  }

  Optional<Row> find(String id) {
    Optional<Row> changed = changes.get(id);
    return changed != null ? changed : Optional.ofNullable(database.committed.get(id));
  }

  /** The rows that match, in the order of creation. */
  List<Row> rows(Predicate<Row> matches) {
    List<Row> rows = new ArrayList<>();
    database.committed.forEach(
        (id, row) -> {
          if (!changes.containsKey(id)) {
            rows.add(row);
          }
        });
    changes.values().forEach(changed -> changed.ifPresent(rows::add));
    rows.removeIf(matches.negate());
    rows.sort(Row.BY_CREATION);
    return rows;
  }

  boolean isLockedByOther(String id) {
    Session holder = database.locks.get(id);
    return holder != null && holder != this;
  }

  /** Waits until nobody else has the row locked, then locks it until the transaction ends. */
  void lock(String id) {
    database.awaitUnlocked(this, id);
    database.locks.put(id, this);
  }

  void put(Row row) {
    change(row.id(), Optional.of(row));
  }

  void delete(String id) {
    change(id, Optional.empty());
  }

  private void change(String id, Optional<Row> row) {
    if (readOnly) {
      throw new IllegalStateException("the connection is read-only");
    }
    lock(id);
    changes.put(id, row);
  }

  boolean hasChanges() {
    return !changes.isEmpty();
  }

  void commit() {
    changes.forEach(
        (id, row) ->
            row.ifPresentOrElse(
                present -> database.committed.put(id, present),
                () -> database.committed.remove(id)));
    end();
  }

  void rollback() {
    end();
  }

  private void end() {
    changes.clear();
    database.unlockAll(this);
  }

  Map<String, Optional<Row>> snapshot() {
    return new HashMap<>(changes);
  }

  void restore(Map<String, Optional<Row>> snapshot) {
    changes = new HashMap<>(snapshot);
  }

  void requireOpen() throws SQLException {
    if (closed) {
      throw new SQLException("the connection is closed", "08003");
    }
  }
}
