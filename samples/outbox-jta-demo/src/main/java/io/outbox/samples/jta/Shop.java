package io.outbox.samples.jta;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jta.JtaTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;

/** Orders and their events in one XA database. */
final class Shop implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private final TransactionManager transactions;
  private final AgroalDataSource pool;
  private final Outbox outbox;
  private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();

  Shop() throws SQLException {
    // an H2 in memory needs no log of transactions on a disk
    for (String store : new String[] {null, "communicationStore", "stateStore"}) {
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
          .setObjectStoreType(VolatileStore.class.getName());
    }
    transactions = com.arjuna.ats.jta.TransactionManager.transactionManager();
    TransactionSynchronizationRegistry registry = new TransactionSynchronizationRegistryImple();
    pool = pool(new NarayanaTransactionIntegration(transactions, registry));
    OutboxSchema.create(pool);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
    }
    outbox =
        Outbox.singleNode()
            .connectionProvider(new DataSourceConnectionProvider(pool))
            .txContext(new JtaTxContext(registry, pool))
            .outboxStore(JdbcOutboxStores.detect(pool))
            .listenerRegistry(
                new DefaultListenerRegistry()
                    .registerDefault(
                        event -> {
                          delivered.add(event.aggregateId());
                          return DispatchResult.done();
                        }))
            .build();
  }

  private static AgroalDataSource pool(NarayanaTransactionIntegration narayana)
      throws SQLException {
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .connectionPoolConfiguration(
                pool ->
                    pool.maxSize(8)
                        .acquisitionTimeout(Duration.ofSeconds(PATIENCE_SECONDS))
                        .transactionIntegration(narayana)
                        .connectionFactoryConfiguration(
                            connections ->
                                connections
                                    .connectionProviderClass(JdbcDataSource.class)
                                    .jdbcUrl("jdbc:h2:mem:jta-demo;DB_CLOSE_DELAY=-1"))));
  }

  TransactionManager transactions() {
    return transactions;
  }

  /** Inserts an order and writes its event, in the transaction of the calling thread. */
  void place(String id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
    outbox
        .writer()
        .write(
            EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId(id)
                .payloadJson("{}")
                .build());
  }

  /** The order whose event is delivered next. */
  String awaitDelivery() throws InterruptedException {
    String id = delivered.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (id == null) {
      throw new IllegalStateException("no event was delivered");
    }
    return id;
  }

  long rows(String table) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Delivers what is queued. */
  void stopDelivery() {
    outbox.close();
  }

  /** How many deliveries nobody has asked for. */
  int unexpectedDeliveries() {
    return delivered.size();
  }

  @Override
  public void close() {
    outbox.close();
    pool.close();
  }
}
