package io.outbox.jdbc.partition;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import io.outbox.jdbc.internal.schema.SchemaTool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;

/** Creates a table in partitions by {@code seq}, and what every outbox table has beside it. */
final class Creation {

  private final TableName table;
  private final SeqPartitions partitions;

  Creation(TableName table, SeqPartitions partitions) {
    this.table = table;
    this.partitions = partitions;
  }

  /** {@code ahead} creates the first partitions. */
  void create(DataSource dataSource, UnitOfWork.Work<Integer> ahead) {
    Objects.requireNonNull(dataSource, "dataSource");
    if (!with(dataSource, Creation::isPostgres)) {
      throw new OutboxStoreException(
          "table %s can be in partitions by seq on PostgreSQL only".formatted(table));
    }
    try {
      with(dataSource, this::createTable);
    } catch (OutboxStoreException e) {
      // Another node may have created it at the same moment.
      if (!with(dataSource, conn -> partitions.find(conn).isPresent())) {
        throw e;
      }
    }
    OutboxSchema.create(dataSource, table.toString());
    with(dataSource, ahead);
  }

  private static boolean isPostgres(Connection conn) throws SQLException {
    return Product.of(conn.getMetaData()).filter(Product.POSTGRESQL::equals).isPresent();
  }

  private Layout createTable(Connection conn) {
    new SchemaTool(conn, Product.POSTGRESQL, table).createRotated();
    return partitions.layout(conn);
  }

  private <T> T with(DataSource dataSource, UnitOfWork.Work<T> work) {
    try (OwnTransaction own = OwnTransaction.begin(dataSource::getConnection)) {
      T result = work.run(own.connection());
      own.commit();
      return result;
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "could not create table %s in partitions: %s".formatted(table, e.getMessage()), e);
    }
  }
}
