package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agroal.api.AgroalDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import jakarta.transaction.TransactionManager;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A database that rolls back a branch it had prepared, as an administrator can make it do. */
class HeuristicRollbackTest {

  private static final AtomicBoolean ROLLS_BACK = new AtomicBoolean();

  /** An H2 that keeps no promise while it is told so. */
  public static final class Unreliable implements XADataSource {

    private final JdbcDataSource h2 = new JdbcDataSource();

    public void setUrl(String url) {
      h2.setURL(url);
    }

    public void setUser(String user) {
      h2.setUser(user);
    }

    public void setPassword(String password) {
      h2.setPassword(password);
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
      XAConnection connection = h2.getXAConnection();
      XAResource resource = proxy(XAResource.class, connection.getXAResource(), null);
      return proxy(XAConnection.class, connection, resource);
    }

    @Override
    public XAConnection getXAConnection(String user, String password) {
      throw new UnsupportedOperationException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
      return h2.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
      h2.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      h2.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
      return h2.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
      return h2.getParentLogger();
    }
  }

  private static <T> T proxy(Class<T> type, T target, XAResource resource) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("getXAResource")) {
                return resource;
              }
              if (method.getName().equals("commit") && ROLLS_BACK.get()) {
                ((XAResource) target).rollback((Xid) arguments[0]);
                throw new XAException(XAException.XA_HEURRB);
              }
              try {
                return method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }

  @Test
  void R2_anEventWhoseBranchWasRolledBackIsNotDeliveredIfRowsAreChecked() throws Exception {
    Narayana narayana = Narayana.ofTests();
    TransactionManager manager = narayana.manager();
    Databases databases = Databases.of(TestDatabase.H2, Narayana.Part.XA);
    RecordingListener listener = new RecordingListener();
    List<String> ends = new CopyOnWriteArrayList<>();
    try (AgroalDataSource pool =
            narayana.pool(databases.database(), Unreliable.class, Databases.POOL);
        Outbox outbox =
            Outbox.singleNode()
                .connectionProvider(new DataSourceConnectionProvider(pool))
                .txContext(new JtaTxContext(narayana.registry(), pool))
                .outboxStore(JdbcOutboxStores.detect(pool))
                .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
                .checkRowsBeforeHotDelivery(true)
                .build()) {
      manager.begin();
      manager.getTransaction().enlistResource(new Branch());
      outbox.writer().write("rolled back", "{}");
      JtaTxContext sameTransaction = new JtaTxContext(narayana.registry(), pool);
      sameTransaction.afterCommit(() -> ends.add("committed"));
      ROLLS_BACK.set(true);
      assertThatThrownBy(manager::commit).isInstanceOf(Exception.class);
      ROLLS_BACK.set(false);
      manager.begin();
      outbox.writer().write("committed", "{}");
      manager.commit();
      listener.awaitCount(1, Duration.ofSeconds(60));
    }
    assertThat(ends).as("what Narayana says").containsExactly("committed");
    assertThat(listener.deliveries())
        .extracting(delivery -> delivery.event().eventType())
        .containsExactly("committed");
    assertThat(databases.column("SELECT event_type FROM outbox_event"))
        .containsExactly("committed");
  }
}
