package io.outbox.faults;

import io.outbox.faults.node.PreviousVersion;
import io.outbox.faults.scenario.BlackHoles;
import io.outbox.faults.scenario.CutConnections;
import io.outbox.faults.scenario.Failover;
import io.outbox.faults.scenario.FullDisk;
import io.outbox.faults.scenario.Galera;
import io.outbox.faults.scenario.KilledBroker;
import io.outbox.faults.scenario.KilledNodes;
import io.outbox.faults.scenario.MixedPools;
import io.outbox.faults.scenario.PgBouncer;
import io.outbox.faults.scenario.ReadOnlyDatabase;
import io.outbox.faults.scenario.RestartedServer;
import io.outbox.faults.scenario.RollingModes;
import io.outbox.faults.scenario.RollingVersions;
import io.outbox.faults.scenario.Scenario;
import io.outbox.faults.scenario.SkewedClocks;
import io.outbox.faults.scenario.StoppedNodes;
import io.outbox.faults.server.KafkaServer;
import io.outbox.faults.server.Need;
import io.outbox.faults.server.Program;
import io.outbox.faults.server.RabbitMqServer;
import io.outbox.testdb.TestDatabase;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A scenario that can be run.
 *
 * @param says what it does, in a line
 */
public record ScenarioType(String name, String says, List<Need> needs, Opening opening) {

  /** Starts the servers of a scenario. */
  public interface Opening {
    Scenario open() throws Exception;
  }

  public static final List<ScenarioType> ALL =
      List.of(
          type(
              "kill",
              "kill -9 of a node; another one starts in its place",
              () -> new KilledNodes(TestDatabase.POSTGRES)),
          type(
              "stop",
              "SIGSTOP of a node beyond its lease, then SIGCONT",
              () -> new StoppedNodes(TestDatabase.POSTGRES)),
          type(
              "cut",
              "all connections of a node are reset",
              () -> new CutConnections(TestDatabase.POSTGRES)),
          type(
              "blackhole",
              "nothing of a node reaches the database, nothing is closed, beyond its lease",
              () -> new BlackHoles(TestDatabase.POSTGRES)),
          type("kill-mariadb", "kill on MariaDB", () -> new KilledNodes(TestDatabase.MARIADB)),
          type("stop-mariadb", "stop on MariaDB", () -> new StoppedNodes(TestDatabase.MARIADB)),
          type("cut-mariadb", "cut on MariaDB", () -> new CutConnections(TestDatabase.MARIADB)),
          type(
              "blackhole-mariadb",
              "blackhole on MariaDB",
              () -> new BlackHoles(TestDatabase.MARIADB)),
          type(
              "kill-mysql", "kill on MySQL", () -> new KilledNodes(TestDatabase.MYSQL), Need.MYSQL),
          type(
              "restart-postgresql",
              "kill -9 of PostgreSQL, then a start on its data",
              () -> new RestartedServer(TestDatabase.POSTGRES)),
          type(
              "restart-mariadb",
              "kill -9 of MariaDB, then a start on its data",
              () -> new RestartedServer(TestDatabase.MARIADB)),
          type(
              "failover",
              "kill -9 of PostgreSQL, promotion of its synchronous standby",
              Failover::new),
          type(
              "pgbouncer",
              "nodes behind PgBouncer in transaction mode; it or a node is killed",
              PgBouncer::new,
              Program.PGBOUNCER),
          type(
              "clocks",
              "nodes whose clocks are 5 minutes fast and 5 minutes slow",
              SkewedClocks::new,
              Program.FAKETIME),
          type(
              "isolation",
              "pools with SERIALIZABLE, REPEATABLE READ and auto-commit off; a node is killed",
              () -> new MixedPools(TestDatabase.POSTGRES)),
          type(
              "isolation-mariadb",
              "isolation on MariaDB",
              () -> new MixedPools(TestDatabase.MARIADB)),
          type(
              "read-only",
              "PostgreSQL refuses all writes for longer than a lease",
              () -> new ReadOnlyDatabase(TestDatabase.POSTGRES)),
          type(
              "full-disk",
              "the disk of PostgreSQL's tables is full for longer than a lease",
              FullDisk::new,
              Need.ROOT),
          type(
              "rolling",
              "a rolling deployment from one mode to the other; order is not proven",
              () -> new RollingModes(TestDatabase.POSTGRES)),
          type(
              "rolling-version",
              "a rolling deployment from an earlier version to this one and back",
              () -> new RollingVersions(TestDatabase.POSTGRES, PreviousVersion.directory()),
              PreviousVersion.NEED),
          type(
              "galera",
              "three members with a node on each; a member or a node is killed",
              Galera::new,
              Program.GALERA,
              Program.MARIADB,
              Program.RSYNC),
          type(
              "kafka",
              "nodes publish to Kafka, which is killed and started again",
              () -> new KilledBroker(new KafkaServer())),
          type(
              "rabbitmq",
              "nodes publish to RabbitMQ, which is killed and started again",
              () -> new KilledBroker(new RabbitMqServer()),
              Program.RABBITMQ));

  private static ScenarioType type(String name, String says, Opening opening, Need... needs) {
    return new ScenarioType(name, says, Arrays.asList(needs), opening);
  }

  public static ScenarioType named(String name) {
    return ALL.stream()
        .filter(type -> type.name.equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no scenario \"%s\"; there are: %s".formatted(name, names())));
  }

  public static String names() {
    return ALL.stream().map(ScenarioType::name).collect(Collectors.joining(", "));
  }

  /** Why it cannot be run; empty if it can. */
  public String missing() {
    String missing =
        needs.stream().filter(Need::isMissing).map(Need::text).collect(Collectors.joining(", "));
    return missing.isEmpty() ? "" : "needs " + missing;
  }
}
