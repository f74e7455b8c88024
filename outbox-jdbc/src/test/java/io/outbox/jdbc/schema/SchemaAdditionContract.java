package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;
import java.sql.SQLException;
import java.util.Collections;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every addition to the outbox table must do on every database. */
abstract class SchemaAdditionContract extends FreshDatabase {

  private static final String LONGEST = "a".repeat(50);

  SchemaAdditionContract(Target target) {
    super(target);
  }

  /** Creates an outbox table and the addition, and does something with both. */
  abstract void createAndUse(String table) throws SQLException;

  /** As nodes do that start together. */
  static void fourTimesAtOnce(Runnable action) throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      for (Future<?> node : nodes.invokeAll(Collections.nCopies(4, Executors.callable(action)))) {
        node.get();
      }
    } finally {
      nodes.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"outbox_event", "Orders_Outbox", "%s.outbox_event", "%s.MyEvents"})
  void aTableOfAnyNameIsServed(String name) throws SQLException {
    String schema = "other_" + database.name();
    execute("CREATE SCHEMA " + schema);
    try {
      createAndUse(name.formatted(schema));
    } finally {
      execute(target.dropSchema(schema));
    }
  }

  @Test
  void theLongestNameOfATableLeavesRoomForTheOthers() throws SQLException {
    createAndUse(LONGEST);
  }
}
