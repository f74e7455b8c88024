package io.outbox.spring.boot;

import io.outbox.inbox.Inbox;
import io.outbox.inbox.InboxException;
import io.outbox.inbox.InboxSchema;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.TxContext;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.wiring.ChosenDataSource;
import io.outbox.spring.boot.wiring.TransactionListening;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.OutboxTable;
import io.outbox.wiring.Property;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * An {@link Inbox} in the transactions of Spring, if outbox-inbox is on the class path, even in an
 * application without an outbox ({@code outbox.enabled=false}). The bean is created, and needs its
 * table, on first use.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(Inbox.class)
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxInboxAutoConfiguration {

  private static final String ACTION =
      """
      Create the table, in one of these ways:
        - let the application do it: outbox.schema.initialize=always
        - with a migration: the DDL is in the directory schema/inbox of the outbox-inbox jar
      If it has another name, set outbox.inbox.table-name. To start without this check: outbox.schema.validate=false\
      """;

  OutboxInboxAutoConfiguration() {}

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  ChosenDataSource inboxChosenDataSource(
      OutboxProperties properties,
      @OutboxDataSource ObjectProvider<DataSource> marked,
      ObjectProvider<DataSource> all,
      ListableBeanFactory beans) {
    return ChosenDataSource.of(properties.datasource(), marked, all, beans);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  TxContext inboxTxContext(ChosenDataSource chosen) {
    return new SpringTxContext(chosen.dataSource());
  }

  @Bean
  @Lazy(false)
  @ConditionalOnMissingBean
  TransactionListening inboxTransactionListening(ConfigurableListableBeanFactory beans) {
    return new TransactionListening(beans);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  @DependsOnDatabaseInitialization
  Inbox inbox(TxContext txContext, ChosenDataSource chosen, OutboxProperties properties) {
    try {
      Inbox inbox =
          Inbox.builder().txContext(txContext).tableName(properties.inbox().tableName()).build();
      prepareTable(chosen.dataSource(), properties);
      return inbox;
    } catch (IllegalArgumentException e) {
      throw Property.invalid("outbox.inbox.table-name", e);
    } catch (InboxException e) {
      throw new OutboxConfigurationException(
          "The inbox cannot use its table: " + e.getMessage(), ACTION, e);
    }
  }

  private static void prepareTable(DataSource dataSource, OutboxProperties properties) {
    String table = properties.inbox().tableName();
    if (OutboxTable.isToBeCreated(dataSource, properties.schema().initialize())) {
      InboxSchema.create(dataSource, table);
    } else if (properties.schema().validate()) {
      InboxSchema.validate(dataSource, table);
    }
  }

  /** Closed by Spring. */
  @Bean(initMethod = "start")
  @Lazy(false)
  @ConditionalOnProperty("outbox.inbox.purge.enabled")
  OutboxPurgeScheduler inboxPurgeScheduler(
      Inbox inbox, ChosenDataSource chosen, OutboxProperties properties) {
    OutboxProperties.InboxPurge purge = properties.inbox().purge();
    try {
      return OutboxPurgeScheduler.builder()
          .connectionProvider(chosen.dataSource()::getConnection)
          .purger(inbox.purger())
          .retention(purge.retention())
          .batchSize(purge.batchSize())
          .intervalSeconds(purge.intervalSeconds())
          .build();
    } catch (IllegalArgumentException e) {
      throw Property.invalid("outbox.inbox.purge", e);
    }
  }
}
