package io.outbox.jdbc.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.store.Target;
import java.sql.SQLException;

/** The table as the specification has it, in the dialect of the database. */
abstract class SpecTable extends FreshDatabase {

  SpecTable(Target target) {
    super(target);
  }

  final String specDdl() {
    return switch (target.product().family()) {
      case H2, OTHER ->
          specDdl("JSON", "TINYINT", "TIMESTAMP(6)").replace(" TEXT", " CHARACTER LARGE OBJECT");
      case POSTGRESQL -> specDdl("JSONB", "SMALLINT", "TIMESTAMP(6)");
      case MYSQL -> specDdl("JSON", "TINYINT", "DATETIME(6)");
    };
  }

  private static String specDdl(String json, String tinyint, String datetime) {
    return """
    CREATE TABLE outbox_event (
      event_id VARCHAR(36) PRIMARY KEY,
      event_type VARCHAR(128) NOT NULL,
      aggregate_type VARCHAR(64),
      aggregate_id VARCHAR(128),
      tenant_id VARCHAR(64),
      payload %1$s NOT NULL,
      headers %1$s,
      status %2$s NOT NULL,
      attempts INT DEFAULT 0 NOT NULL,
      available_at %3$s NOT NULL,
      created_at %3$s NOT NULL,
      done_at %3$s,
      last_error TEXT,
      locked_by VARCHAR(128),
      locked_at %3$s
    );
    CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)
    """
        .formatted(json, tinyint, datetime);
  }

  final void insertSpecRow(int number, int status, String createdAt) throws SQLException {
    insert(number, status, createdAt, target.product() == Product.H2 ? "JSON " : "");
  }

  /** Into a table of ours, with the columns of the specification only, as plain SQL does. */
  final void insertPlainRow(int number, int status, String createdAt) throws SQLException {
    insert(number, status, createdAt + (target.product() == Product.MYSQL ? "" : "+00"), "");
  }

  private void insert(int number, int status, String createdAt, String json) throws SQLException {
    execute(
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id,
          payload, headers, status, attempts, available_at, created_at, done_at, last_error)
        VALUES ('id-%s', 'Type', 'Order', '%s', 'tenant', %s, %s, %s, %s,
          '%s', '%s', %s, %s)
        """
            .formatted(
                number,
                number,
                json + "'{\"n\": " + number + "}'",
                number % 2 == 0 ? json + "'{\"h\": \"v\"}'" : "NULL",
                status,
                number,
                createdAt,
                createdAt,
                status == 1 ? "'" + createdAt + "'" : "NULL",
                status == 3 ? "'gone'" : "NULL"));
  }
}
