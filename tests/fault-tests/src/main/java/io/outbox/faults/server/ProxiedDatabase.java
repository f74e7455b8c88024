package io.outbox.faults.server;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.NodeSettings;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.Database;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A database on a separate server, which the node in each place reaches through a proxy. */
public final class ProxiedDatabase implements AutoCloseable {

  private final DedicatedServer server;
  private final Database database;
  private final List<TcpProxy> proxies = new ArrayList<>();

  public ProxiedDatabase(TestDatabase kind) {
    this(kind, Map.of());
  }

  public ProxiedDatabase(TestDatabase kind, Map<String, String> settings) {
    this.server = kind.dedicatedServer(settings);
    this.database = server.fresh();
    URI address = address(database);
    for (int place = 0; place < Cluster.PLACES; place++) {
      proxies.add(TcpProxy.to(address.getHost(), address.getPort()));
    }
  }

  public DedicatedServer server() {
    return server;
  }

  public String name() {
    return database.name();
  }

  public DataSource dataSource() {
    return database.dataSource();
  }

  public TcpProxy proxy(int place) {
    return proxies.get(place);
  }

  public List<TcpProxy> proxies() {
    return proxies;
  }

  public NodeSettings settings(NodeSettings defaults, int place) {
    String own = address(database).getAuthority();
    TcpProxy proxy = proxies.get(place);
    return defaults.at(
        database.jdbcUrl().replace(own, proxy.host() + ":" + proxy.port()),
        database.user(),
        database.password());
  }

  public static URI address(Database database) {
    return URI.create(database.jdbcUrl().substring("jdbc:".length()));
  }

  @Override
  public void close() {
    proxies.forEach(TcpProxy::close);
    server.close();
  }
}
