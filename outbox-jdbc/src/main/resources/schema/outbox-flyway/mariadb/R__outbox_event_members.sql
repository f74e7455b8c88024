-- For Flyway: without a version, so that it cannot collide with one of yours.
-- Which nodes deliver from the outbox table, and in which mode, for MySQL 8.0.16 and later, MariaDB
-- 10.6 and later, and TiDB.
-- For another table name: OutboxSchema.membersDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

CREATE TABLE IF NOT EXISTS outbox_event_member (
  node_id     VARCHAR(128) NOT NULL,
  -- how it delivers; only nodes of one mode do
  mode        VARCHAR(32)  NOT NULL,
  -- 1 delivers, 0 waits for nodes of another mode
  delivers    TINYINT      NOT NULL,
  started_at  DATETIME(6)  NOT NULL,
  beat_at     DATETIME(6)  NOT NULL,
  -- gone after that, unless it is heard of again
  alive_until DATETIME(6)  NOT NULL,
  -- what else a node says about itself
  detail      TEXT,
  PRIMARY KEY (node_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

-- no node: who wants to begin to deliver locks this row
INSERT IGNORE INTO outbox_event_member (node_id, mode, delivers, started_at, beat_at, alive_until)
  VALUES ('*', '*', 0, '2000-01-01 00:00:00', '2000-01-01 00:00:00', '2000-01-01 00:00:00');
