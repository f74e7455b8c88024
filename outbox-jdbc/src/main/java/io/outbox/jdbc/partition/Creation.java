package io.outbox.jdbc.partition;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.SchemaAccess;
import io.outbox.jdbc.internal.schema.SchemaTool;
import java.sql.Connection;
import java.util.function.Consumer;
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
  void create(DataSource dataSource, Consumer<Connection> ahead) {
    SchemaAccess access = new SchemaAccess(dataSource, table.toString());
    if (access.ask(SchemaTool::product) != Product.POSTGRESQL) {
      throw new OutboxStoreException(
          "table %s can be in partitions by seq on PostgreSQL only".formatted(table));
    }
    try {
      access.run(this::createTable);
    } catch (OutboxStoreException e) {
      // Another node may have created it at the same moment.
      if (!access.ask(tool -> partitions.find(tool.connection()).isPresent())) {
        throw e;
      }
    }
    OutboxSchema.create(dataSource, table.toString());
    access.run(tool -> ahead.accept(tool.connection()));
  }

  private void createTable(SchemaTool tool) {
    tool.createRotated();
    partitions.layout(tool.connection());
  }
}
