-- The subscriptions of several independent listeners, for MySQL 8.0.16 and later, MariaDB 10.6 and
-- later, and TiDB.
-- For another table name: OutboxSchema.subscriptionsDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

CREATE TABLE outbox_event_subscription (
  aggregate_type VARCHAR(64)  NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  name           VARCHAR(64)  NOT NULL,
  subscribed_at  DATETIME(6)  NOT NULL,
  -- set: its events get no copy for it any more
  ended_at       DATETIME(6),
  PRIMARY KEY (aggregate_type, event_type, name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;
