package io.outbox.samples.multids;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.SpringTxContext;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Everything there is per database: its DataSource, its transactions and its outbox. */
@Configuration(proxyBeanMethods = false)
class Databases {

  static final String ORDERS = "orders";
  static final String STOCK = "stock";

  @Bean
  @Qualifier(ORDERS)
  HikariDataSource ordersDataSource() {
    return open("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1", "CREATE TABLE orders (item VARCHAR(100))");
  }

  @Bean
  @Qualifier(STOCK)
  HikariDataSource stockDataSource() {
    return open("jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1", "CREATE TABLE stock (item VARCHAR(100))");
  }

  @Bean
  @Qualifier(ORDERS)
  DataSourceTransactionManager ordersTransactions(@Qualifier(ORDERS) DataSource dataSource) {
    return new DataSourceTransactionManager(dataSource);
  }

  @Bean
  @Qualifier(STOCK)
  DataSourceTransactionManager stockTransactions(@Qualifier(STOCK) DataSource dataSource) {
    return new DataSourceTransactionManager(dataSource);
  }

  @Bean
  @Qualifier(ORDERS)
  Outbox ordersOutbox(@Qualifier(ORDERS) DataSource dataSource, Deliveries deliveries) {
    return outbox(dataSource, new DefaultListenerRegistry().registerDefault(deliveries.of(ORDERS)));
  }

  @Bean
  @Qualifier(STOCK)
  Outbox stockOutbox(@Qualifier(STOCK) DataSource dataSource, Deliveries deliveries) {
    return outbox(dataSource, new DefaultListenerRegistry().registerDefault(deliveries.of(STOCK)));
  }

  /** The context joins the transactions of this DataSource only; others are refused. */
  private static Outbox outbox(DataSource dataSource, DefaultListenerRegistry listeners) {
    OutboxSchema.create(dataSource);
    return Outbox.singleNode()
        .connectionProvider(new DataSourceConnectionProvider(dataSource))
        .txContext(new SpringTxContext(dataSource))
        .outboxStore(JdbcOutboxStores.detect(dataSource))
        .listenerRegistry(listeners)
        .build();
  }

  private static HikariDataSource open(String url, String ddl) {
    HikariDataSource dataSource = new HikariDataSource();
    dataSource.setJdbcUrl(url);
    new JdbcTemplate(dataSource).execute(ddl);
    return dataSource;
  }
}
