package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.Database;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL and its synchronous standby, behind an address that moves from one to the other. */
public final class Failover implements Scenario {

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration LONG = Duration.ofSeconds(1);

  private final Database database;
  private final List<TcpProxy> proxies = new ArrayList<>(); // one for each node, one for us
  private DedicatedServer primary;
  private DedicatedServer standby; // null from a failover until the next one

  public Failover() {
    primary = TestDatabase.POSTGRES.dedicatedServer(Map.of("wal_keep_size", "1GB"));
    database = primary.fresh();
    for (int i = 0; i <= Cluster.PLACES; i++) {
      proxies.add(TcpProxy.to("127.0.0.1", primary.port()));
    }
    addStandby();
  }

  /** From when it is there, a commit returns only when the standby has it. */
  private void addStandby() {
    standby = primary.standby();
    setStandbyNames("*");
    Await.until("the standby to follow", PATIENCE, this::isFollowed);
  }

  private void setStandbyNames(String names) {
    primary.execute("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    primary.execute("SELECT pg_reload_conf()");
  }

  private boolean isFollowed() {
    try (Connection connection = database().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'")) {
      return result.next() && result.getInt(1) > 0;
    } catch (SQLException e) {
      throw new IllegalStateException("cannot see who follows", e);
    }
  }

  @Override
  public DataSource database() {
    PGSimpleDataSource own = new PGSimpleDataSource();
    own.setUrl(url(Cluster.PLACES));
    own.setUser(database.user());
    own.setPassword(database.password());
    return own;
  }

  private String url(int place) {
    return "jdbc:postgresql://127.0.0.1:%d/%s"
        .formatted(proxies.get(place).port(), database.name());
  }

  @Override
  public NodeSettings settings(NodeSettings defaults, int place) {
    return defaults.at(url(place), database.user(), database.password());
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    if (standby == null) {
      addStandby();
    }
    Fault fault = log.begin("failover");
    primary.killServer();
    proxies.forEach(TcpProxy::cut);
    cluster.passTime(Duration.ZERO, LONG);
    DedicatedServer former = primary;
    primary = standby;
    // It follows nobody, and nobody follows it: its commits would wait.
    setStandbyNames("");
    primary.promote();
    for (TcpProxy proxy : proxies) {
      proxy.retarget("127.0.0.1", primary.port());
      proxy.restore();
    }
    fault.end(System.nanoTime());
    former.close();
    standby = null;
  }

  @Override
  public void close() {
    proxies.forEach(TcpProxy::close);
    if (standby != null) {
      standby.close();
    }
    primary.close();
  }
}
