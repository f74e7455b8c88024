package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.proof.EventTable;
import io.outbox.faults.proof.Proof;
import io.outbox.faults.server.GaleraMember;
import io.outbox.faults.server.TemporaryFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Three members of a Galera cluster with a node on each; a member or a node is killed. */
public final class Galera implements Scenario {

  private static final String DATABASE = "outbox";
  private static final Duration LONG = Duration.ofSeconds(2);

  private final Path directory;
  private final List<GaleraMember> members = new ArrayList<>();

  public Galera() throws Exception {
    directory = TemporaryFolder.create("galera");
    try {
      for (int i = 0; i < Cluster.PLACES; i++) {
        members.add(new GaleraMember(directory.resolve("member-" + i)));
      }
      members.get(0).initialise();
      members.get(0).start("");
      for (GaleraMember member : members.subList(1, members.size())) {
        member.start(group());
      }
      createDatabase();
    } catch (Exception | AssertionError e) {
      members.stream().filter(GaleraMember::isRunning).forEach(Galera::kill);
      throw e;
    }
  }

  private String group() {
    return members.stream().map(GaleraMember::groupAddress).collect(Collectors.joining(","));
  }

  private void createDatabase() throws SQLException {
    try (Connection connection = members.get(0).upToDate("").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + DATABASE + " CHARACTER SET utf8mb4");
    }
  }

  @Override
  public DataSource database() {
    return members.stream()
        .filter(GaleraMember::isRunning)
        .findFirst()
        .orElseThrow()
        .upToDate(DATABASE);
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    return defaults.at(members.get(place).url(DATABASE), "root", "");
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    if (cluster.random().nextBoolean()) {
      KilledNodes.killOne(cluster, log);
      return;
    }
    GaleraMember member = members.get(cluster.random().nextInt(members.size()));
    Fault fault = log.begin("kill of a member");
    member.kill();
    cluster.passTime(Duration.ZERO, LONG);
    member.start(group());
    fault.end(System.nanoTime());
  }

  /** Each member has every event; one that lacks some would lose them with its next transfer. */
  @Override
  public List<String> notReceived(Collection<Proof.Row> events) {
    Set<String> ids = events.stream().map(Proof.Row::eventId).collect(Collectors.toSet());
    List<String> differences = new ArrayList<>();
    for (GaleraMember member : members) {
      Set<String> its =
          new EventTable(member.upToDate(DATABASE))
              .rows().stream().map(Proof.Row::eventId).collect(Collectors.toSet());
      ids.stream()
          .filter(id -> !its.contains(id))
          .forEach(id -> differences.add(id + " is not in the member " + member.groupAddress()));
      its.stream()
          .filter(id -> !ids.contains(id))
          .forEach(id -> differences.add(id + " is only in the member " + member.groupAddress()));
    }
    return differences;
  }

  private static void kill(GaleraMember member) {
    try {
      member.kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    members.stream().filter(GaleraMember::isRunning).forEach(Galera::kill);
    TemporaryFolder.delete(directory);
  }
}
