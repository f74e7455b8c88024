package io.outbox.it;

import io.outbox.testdb.TestDatabase;
import java.util.stream.Stream;

/** Which databases tests run on: the usual ones, or the one that a profile names. */
final class Databases {

  private static final String NAMED = System.getProperty("outbox.test.database");

  private Databases() {}

  static Stream<TestDatabase> all() {
    return usually(TestDatabase.H2, TestDatabase.POSTGRES, TestDatabase.MARIADB);
  }

  /** Those that other processes can reach. */
  static Stream<TestDatabase> servers() {
    return usually(TestDatabase.POSTGRES, TestDatabase.MARIADB);
  }

  /** Those whose nodes cannot tell each other what they have committed. */
  static Stream<TestDatabase> withoutNotifications() {
    return usually(TestDatabase.H2, TestDatabase.MARIADB);
  }

  /** The one with InnoDB. */
  static TestDatabase innoDb() {
    return usually(TestDatabase.MARIADB).findFirst().orElseThrow();
  }

  private static Stream<TestDatabase> usually(TestDatabase... kinds) {
    return NAMED == null ? Stream.of(kinds) : Stream.of(TestDatabase.valueOf(NAMED));
  }
}
