-- Finished events that were moved out of the outbox table, for MySQL 8.0.16 and later, MariaDB 10.6
-- and later, and TiDB.
-- For another table name: OutboxSchema.archiveDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

CREATE TABLE outbox_event_archive (
  event_id       VARCHAR(36)  NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        LONGTEXT,
  headers        LONGTEXT,
  -- 1 done, 3 dead
  status         TINYINT      NOT NULL,
  attempts       INT          NOT NULL,
  available_at   DATETIME(6)  NOT NULL,
  created_at     DATETIME(6)  NOT NULL,
  done_at        DATETIME(6),
  last_error     TEXT,
  seq            BIGINT       NOT NULL,
  lease_no       BIGINT       NOT NULL,
  ordering_key   VARCHAR(255),
  partition_key  VARCHAR(255),
  payload_bytes  LONGBLOB,
  content_type   VARCHAR(128),
  replayed_at    DATETIME(6),
  archived_at    DATETIME(6)  NOT NULL,
  -- an event that was replayed and has finished again replaces its earlier row
  PRIMARY KEY (event_id),
  -- the searches of an operator
  KEY outbox_event_archive_time (created_at, event_id),
  KEY outbox_event_archive_type (event_type, created_at, event_id),
  KEY outbox_event_archive_agg (aggregate_id, created_at, event_id),
  KEY outbox_event_archive_key (ordering_key, created_at, event_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;
