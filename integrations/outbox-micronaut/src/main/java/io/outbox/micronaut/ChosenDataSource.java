package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.core.type.Argument;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.wiring.OutboxConfigurationException;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * The DataSource of the outbox.
 *
 * @param pool without Micronaut's proxy, which has a connection only inside a transaction
 * @param transactions begins its transactions
 */
record ChosenDataSource(DataSource pool, TransactionOperations<Connection> transactions) {

  static ChosenDataSource of(String name, BeanContext beans) {
    DataSource dataSource =
        beans.findBean(DataSource.class, Qualifiers.byName(name)).orElseThrow(() -> missing(name));
    TransactionOperations<Connection> transactions =
        beans
            .findBean(
                Argument.of(TransactionOperations.class, Connection.class), Qualifiers.byName(name))
            .map(ChosenDataSource::ofConnections)
            .orElseThrow(() -> withoutTransactions(name));
    DataSource pool = DelegatingDataSource.unwrapDataSource(dataSource);
    return new ChosenDataSource(pool, transactions);
  }

  @SuppressWarnings("unchecked")
  private static TransactionOperations<Connection> ofConnections(TransactionOperations<?> found) {
    return (TransactionOperations<Connection>) found;
  }

  private static RuntimeException missing(String name) {
    return new OutboxConfigurationException(
        "The outbox needs the DataSource '" + name + "', which is not there.",
        "Configure datasources."
            + name
            + ".url and add a pool, micronaut-jdbc-hikari for example; or name another DataSource"
            + " with outbox.datasource; or do without the outbox: outbox.enabled=false");
  }

  private static RuntimeException withoutTransactions(String name) {
    return new OutboxConfigurationException(
        "The outbox joins JDBC transactions of the DataSource '"
            + name
            + "', but nothing begins them.",
        "Remove datasources."
            + name
            + ".transaction-manager, or set it to jdbc. The outbox does not join transactions of"
            + " Hibernate or Spring.");
  }
}
