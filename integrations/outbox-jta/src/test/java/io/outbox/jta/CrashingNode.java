package io.outbox.jta;

import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.postgresql.xa.PGXADataSource;

/** An application in a JVM of its own: one crashes in the middle of a commit, the next recovers. */
final class CrashingNode {

  static final String AFTER_THE_DECISION = "after-the-decision";
  static final String BEFORE_THE_DECISION = "before-the-decision";
  static final String RECOVER = "recover";

  static final String PREPARED =
      "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()";

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String NODE = "outbox";

  private final Narayana narayana;
  private final String url;
  private final String user;
  private final String password;
  private final AgroalDataSource pool;

  private CrashingNode(Path log, String url, String user, String password) throws SQLException {
    this.narayana = Narayana.logging(log);
    this.url = url;
    this.user = user;
    this.password = password;
    this.pool = narayana.pool(url, user, password, PGXADataSource.class, Databases.POOL);
  }

  public static void main(String[] arguments) throws Exception {
    CrashingNode node =
        new CrashingNode(Path.of(arguments[1]), arguments[2], arguments[3], arguments[4]);
    switch (arguments[0]) {
      case AFTER_THE_DECISION -> node.crashAfterTheDecision();
      case BEFORE_THE_DECISION -> node.crashBeforeTheDecision();
      case RECOVER -> node.recover();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    System.exit(0);
  }

  /** Branches commit in the order in which they were enlisted: the database's comes too late. */
  private void crashAfterTheDecision() throws Exception {
    Outbox outbox = outbox(new RecordingListener());
    narayana.manager().begin();
    narayana.manager().getTransaction().enlistResource(HaltingBranch.inCommit());
    outbox.writer().write("Interrupted", "{}");
    narayana.manager().commit();
  }

  /** The database has prepared its branch, and the manager has written nothing down. */
  private void crashBeforeTheDecision() throws Exception {
    Outbox outbox = outbox(new RecordingListener());
    narayana.manager().begin();
    outbox.writer().write("Interrupted", "{}");
    narayana.manager().getTransaction().enlistResource(HaltingBranch.inPrepare());
    narayana.manager().commit();
  }

  private Outbox outbox(RecordingListener listener) {
    return Outbox.singleNode()
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new JtaTxContext(narayana.registry(), pool))
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
        .intervalMs(100)
        .build();
  }

  /** Delivers all the while. Prints what was delivered. */
  private void recover() throws Exception {
    RecordingListener listener = new RecordingListener();
    try (Outbox outbox = outbox(listener)) {
      RecoveryManager recovery = recoveryManager();
      Await.until("no prepared branch", SOON, () -> scan(recovery).isEmpty());
      write(outbox.writer(), "Recovered");
      Await.until(
          "all events delivered",
          SOON,
          () -> column("SELECT event_id FROM outbox_event WHERE status <> 1").isEmpty());
    }
    listener
        .deliveries()
        .forEach(delivery -> System.out.println("delivered " + delivery.event().eventType()));
  }

  private void write(OutboxWriter writer, String type) throws Exception {
    narayana.manager().begin();
    writer.write(type, "{}");
    narayana.manager().commit();
  }

  private List<String> scan(RecoveryManager recovery) {
    recovery.scan();
    return column(PREPARED);
  }

  private List<String> column(String sql) {
    try {
      return Databases.column(pool, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private RecoveryManager recoveryManager() {
    RecoveryEnvironmentBean settings =
        BeanPopulator.getDefaultInstance(RecoveryEnvironmentBean.class);
    settings.setRecoveryModuleClassNames(
        List.of(AtomicActionRecoveryModule.class.getName(), XARecoveryModule.class.getName()));
    settings.setExpiryScannerClassNames(List.of());
    settings.setRecoveryListener(false);
    settings.setRecoveryBackoffPeriod(1);
    JTAEnvironmentBean jta = BeanPopulator.getDefaultInstance(JTAEnvironmentBean.class);
    jta.setXaRecoveryNodes(List.of(NODE));
    jta.setOrphanSafetyInterval(1);
    jta.setXaResourceOrphanFilterClassNames(
        List.of(
            JTATransactionLogXAResourceOrphanFilter.class.getName(),
            JTANodeNameXAResourceOrphanFilter.class.getName()));
    RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
    recovery.initialize();
    XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new Helper());
    return recovery;
  }

  /** Shows the database's branches to the recovery. */
  private final class Helper implements XAResourceRecoveryHelper {
    private XAConnection connection;

    @Override
    public boolean initialise(String parameters) {
      return true;
    }

    @Override
    public synchronized XAResource[] getXAResources() throws Exception {
      if (connection == null) {
        PGXADataSource postgres = new PGXADataSource();
        postgres.setUrl(url);
        postgres.setUser(user);
        postgres.setPassword(password);
        connection = postgres.getXAConnection();
      }
      return new XAResource[] {connection.getXAResource()};
    }
  }
}
