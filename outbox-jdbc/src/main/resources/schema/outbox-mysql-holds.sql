-- Pauses of tenants and destinations, for MySQL 8.0.16 and later, MariaDB 10.6 and later, and TiDB.
-- For another table name: OutboxSchema.holdsDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

CREATE TABLE outbox_event_hold (
  hold_no     BIGINT       NOT NULL AUTO_INCREMENT,
  -- one of these two: whose events are halted, or where they go
  tenant_id   VARCHAR(64),
  destination VARCHAR(500),
  paused_by   VARCHAR(128) NOT NULL,
  paused_at   DATETIME(6)  NOT NULL,
  reason      TEXT,
  PRIMARY KEY (hold_no)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;
