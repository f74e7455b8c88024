package io.outbox.benchmarks.contestant;

import io.outbox.testdb.TestDatabase;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** All contestants, under the names they are chosen by. */
public enum Entry {
  PLAIN("plain JDBC loop", "", Databases.ALL, PlainJdbcLoop::new),
  LEAN("lean loop, its own table", "", Databases.POSTGRES, LeanLoop::new),
  SINGLE_NODE("outbox singleNode()", "outbox", Databases.ALL, ours(OurOutbox.Mode.SINGLE_NODE)),
  MULTI_NODE("outbox multiNode()", "outbox", Databases.ALL, ours(OurOutbox.Mode.MULTI_NODE)),
  SINGLE_NODE_ASYNC(
      "outbox singleNode(), async",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(OurOutbox.Mode.SINGLE_NODE, true, s)),
  MULTI_NODE_ASYNC(
      "outbox multiNode(), async",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(OurOutbox.Mode.MULTI_NODE, true, s)),
  ORDERED("outbox ordered()", "outbox", Databases.ALL, ours(OurOutbox.Mode.ORDERED)),
  ORDERED_BY_KEY(
      "outbox orderedByKey(), 100 keys",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(new Keys(100), s)),
  ORDERED_BY_ONE_KEY(
      "outbox orderedByKey(), 1 key", "outbox", Databases.ALL, s -> new OurOutbox(new Keys(1), s)),
  ORDERED_BY_MANY_KEYS(
      "outbox orderedByKey(), 100,000 keys",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(new Keys(100_000), s)),
  ORDERED_BESIDE_PARKED(
      "outbox orderedByKey(), 100 keys, and one that waits with 100,000 events",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(new Keys(100, 100_000, false), s)),
  ORDERED_BESIDE_PARKED_KEYS(
      "outbox orderedByKey(), 100 keys, and 100,000 keys that wait",
      "outbox",
      Databases.ALL,
      s -> new OurOutbox(new Keys(100, 100_000, true), s)),
  GRUELBOX(
      "transaction-outbox", "transaction-outbox", Databases.NO_MYSQL, s -> new Gruelbox(true, s)),
  GRUELBOX_DEFAULTS(
      "transaction-outbox, defaults",
      "transaction-outbox",
      Databases.NO_MYSQL,
      s -> new Gruelbox(false, s)),
  NAMASTACK(
      "namastack-outbox", "namastack-outbox", Databases.NO_MYSQL_8, s -> new Namastack(true, s)),
  NAMASTACK_DEFAULTS(
      "namastack-outbox, defaults",
      "namastack-outbox",
      Databases.NO_MYSQL_8,
      s -> new Namastack(false, s)),
  DB_SCHEDULER("db-scheduler", "db-scheduler", Databases.NO_H2, s -> new DbScheduler(true, s)),
  DB_SCHEDULER_DEFAULTS(
      "db-scheduler, defaults", "db-scheduler", Databases.NO_H2, s -> new DbScheduler(false, s)),
  MODULITH("Spring Modulith", "spring-modulith", Databases.NO_MYSQL_8, s -> new Modulith(true, s)),
  MODULITH_DEFAULTS(
      "Spring Modulith, defaults",
      "spring-modulith",
      Databases.NO_MYSQL_8,
      s -> new Modulith(false, s));

  /** Which databases a contestant is measured on: others where their documentation names them. */
  private static final class Databases {
    static final Set<TestDatabase> ALL = EnumSet.allOf(TestDatabase.class);
    static final Set<TestDatabase> NO_MYSQL_8 =
        EnumSet.complementOf(EnumSet.of(TestDatabase.MYSQL));
    static final Set<TestDatabase> POSTGRES = EnumSet.of(TestDatabase.POSTGRES);
    static final Set<TestDatabase> NO_MYSQL = EnumSet.of(TestDatabase.POSTGRES, TestDatabase.H2);
    static final Set<TestDatabase> NO_H2 = EnumSet.complementOf(EnumSet.of(TestDatabase.H2));
  }

  private final String title;
  private final String library;
  private final Set<TestDatabase> databases;
  private final Function<Setup, Contestant> factory;

  Entry(
      String title,
      String library,
      Set<TestDatabase> databases,
      Function<Setup, Contestant> factory) {
    this.title = title;
    this.library = library;
    this.databases = databases;
    this.factory = factory;
  }

  private static Function<Setup, Contestant> ours(OurOutbox.Mode mode) {
    return setup -> new OurOutbox(mode, false, setup);
  }

  /** For tables. */
  public String title() {
    return title;
  }

  /** The name of its version in versions.properties; empty if it has none. */
  public String library() {
    return library;
  }

  /** For the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether this is someone else's library as it comes, which may be very slow. */
  public boolean isDefaults() {
    return name().endsWith("_DEFAULTS");
  }

  /** Whether its listener does not block but answers later. */
  public boolean isAsync() {
    return name().endsWith("_ASYNC");
  }

  /** Whether it is a variant of order by key, of interest only beside the others. */
  public boolean isOrdered() {
    return name().startsWith("ORDERED");
  }

  /** Whether finished events stay in its table. */
  public boolean keepsFinished() {
    return switch (this) {
      case PLAIN,
          LEAN,
          SINGLE_NODE,
          MULTI_NODE,
          SINGLE_NODE_ASYNC,
          MULTI_NODE_ASYNC,
          ORDERED,
          ORDERED_BY_KEY,
          NAMASTACK_DEFAULTS,
          MODULITH_DEFAULTS ->
          true;
      default -> false;
    };
  }

  /** Whether it delivers some events while others are paused. */
  public boolean canPause() {
    return switch (this) {
      case SINGLE_NODE, MULTI_NODE, ORDERED_BY_KEY, ORDERED_BY_MANY_KEYS -> true;
      default -> false;
    };
  }

  /** Whether it is measured on this database. */
  public boolean supports(TestDatabase kind) {
    return databases.contains(kind);
  }

  /** A contestant on an empty database. */
  public Contestant on(Setup setup) {
    return factory.apply(setup);
  }
}
