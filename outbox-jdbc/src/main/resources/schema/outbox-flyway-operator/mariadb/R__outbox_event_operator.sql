-- For Flyway: without a version, so that it cannot collide with one of yours.
-- What an operator's actions need besides the outbox table, for MySQL 8.0.16 and later, MariaDB 10.6
-- and later, and TiDB.
-- For another table name: OutboxSchema.operatorDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

-- events whose delivery is halted, on all nodes; a type that is null stands for any
CREATE TABLE IF NOT EXISTS outbox_event_pause (
  pause_no       BIGINT       NOT NULL AUTO_INCREMENT,
  aggregate_type VARCHAR(64),
  event_type     VARCHAR(128),
  paused_by      VARCHAR(128) NOT NULL,
  paused_at      DATETIME(6)  NOT NULL,
  reason         TEXT,
  PRIMARY KEY (pause_no)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

-- what operators did
CREATE TABLE IF NOT EXISTS outbox_event_audit (
  audit_no    BIGINT       NOT NULL AUTO_INCREMENT,
  actor       VARCHAR(128) NOT NULL,
  action      VARCHAR(32)  NOT NULL,
  started_at  DATETIME(6)  NOT NULL,
  -- which events, or which listener
  target      TEXT         NOT NULL,
  detail      TEXT,
  -- how many events, so far if it is not finished
  changed     BIGINT       NOT NULL DEFAULT 0,
  finished_at DATETIME(6),
  PRIMARY KEY (audit_no)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;
