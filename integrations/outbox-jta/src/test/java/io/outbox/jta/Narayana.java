package io.outbox.jta;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceListener;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.xa.PGXADataSource;

/** The transaction manager of the tests, and pools that take part in its transactions. */
final class Narayana {

  /** How a DataSource takes part. */
  enum Part {
    XA,
    LAST_RESOURCE
  }

  private final TransactionManager manager;
  private final TransactionSynchronizationRegistry registry;
  private final List<String> warnings = new CopyOnWriteArrayList<>();

  private Narayana() {
    this.manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
    this.registry = new TransactionSynchronizationRegistryImple();
  }

  /** The one of this JVM, with its log where a build writes. */
  static Narayana ofTests() {
    return OfTests.NARAYANA;
  }

  private static final class OfTests {
    static final Narayana NARAYANA =
        logging(Path.of("target", "narayana-" + ProcessHandle.current().pid()));
  }

  /** With its log in a directory. */
  static Narayana logging(Path log) {
    try {
      BeanPopulator.getDefaultInstance(CoreEnvironmentBean.class).setNodeIdentifier("outbox");
    } catch (CoreEnvironmentBeanException e) {
      throw new IllegalStateException(e);
    }
    for (String store : new String[] {null, "communicationStore", "stateStore"}) {
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
          .setObjectStoreDir(log.toString());
    }
    return new Narayana();
  }

  TransactionManager manager() {
    return manager;
  }

  TransactionSynchronizationRegistry registry() {
    return registry;
  }

  /** Complaints of pools; changed by their threads. */
  List<String> warnings() {
    return warnings;
  }

  AgroalDataSource pool(Database database, Part part, int size) throws SQLException {
    return pool(database, part == Part.XA ? xaDataSource(database.kind()) : null, size);
  }

  /** {@code xaDataSource}: null for a last resource. */
  AgroalDataSource pool(Database database, Class<? extends XADataSource> xaDataSource, int size)
      throws SQLException {
    return pool(database.jdbcUrl(), database.user(), database.password(), xaDataSource, size);
  }

  AgroalDataSource pool(
      String url,
      String user,
      String password,
      Class<? extends XADataSource> xaDataSource,
      int size)
      throws SQLException {
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .metricsEnabled()
            .connectionPoolConfiguration(
                pool ->
                    pool.maxSize(size)
                        .acquisitionTimeout(Duration.ofSeconds(60))
                        .transactionIntegration(
                            new NarayanaTransactionIntegration(manager, registry))
                        .connectionFactoryConfiguration(
                            connections -> {
                              if (xaDataSource != null) {
                                connections.connectionProviderClass(xaDataSource);
                              }
                              return connections
                                  .jdbcUrl(url)
                                  .principal(new NamePrincipal(user))
                                  .credential(new SimplePassword(password));
                            })),
        new AgroalDataSourceListener() {
          @Override
          public void onWarning(String message) {
            warnings.add(message);
          }
        });
  }

  private static Class<? extends XADataSource> xaDataSource(TestDatabase kind) {
    return switch (kind) {
      case H2 -> JdbcDataSource.class;
      case POSTGRES -> PGXADataSource.class;
      default -> throw new UnsupportedOperationException("XA on " + kind);
    };
  }
}
