-- For Flyway: without a version, so that it cannot collide with one of yours.
-- The outbox table for MySQL 8.0.16 and later, MariaDB 10.6 and later, and TiDB.
-- For another table name: OutboxSchema.ddl(...), or replace outbox_event everywhere.
-- All times are UTC.

CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36)  NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  -- LONGTEXT, not JSON: the text comes back as it was written. It is not checked here, because
  -- JSON_VALID refuses valid documents (more than 31 levels deep on MariaDB, 100 on MySQL)
  payload        LONGTEXT,
  headers        LONGTEXT,
  -- 0 new, 1 done, 2 retry, 3 dead
  status         TINYINT      NOT NULL,
  attempts       INT          NOT NULL DEFAULT 0,
  available_at   DATETIME(6)  NOT NULL,
  created_at     DATETIME(6)  NOT NULL,
  done_at        DATETIME(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      DATETIME(6),
  seq            BIGINT       NOT NULL AUTO_INCREMENT,
  -- counts claims and replays, never goes back
  lease_no       BIGINT       NOT NULL DEFAULT 0,
  -- claims and starts since the last outcome
  claims         INT          NOT NULL DEFAULT 0,
  starts         INT          NOT NULL DEFAULT 0,
  ordering_key   VARCHAR(255),
  partition_key  VARCHAR(255),
  -- instead of payload, for payloads that are not JSON
  payload_bytes  LONGBLOB,
  content_type   VARCHAR(128),
  -- when it was last given a new life; its age counts from then
  replayed_at    DATETIME(6),
  -- there are no partial indexes: these are null where a row is of no interest
  due_at         DATETIME(6)  GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) AND locked_by IS NULL THEN available_at END) STORED,
  leased_at      DATETIME(6)  GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) AND locked_by IS NOT NULL THEN locked_at END) STORED,
  finished_at    DATETIME(6)  GENERATED ALWAYS AS (
    CASE WHEN status IN (1, 3) THEN COALESCE(done_at, created_at) END) STORED,
  PRIMARY KEY (event_id),
  UNIQUE KEY outbox_event_seq (seq),
  -- pending, not leased: what the poller takes next
  KEY outbox_event_due (due_at, seq),
  -- pending, leased: whose lease has run out
  KEY outbox_event_leased (leased_at, seq),
  -- finished: what the purger takes next; dead and unknown rows for the operator
  KEY outbox_event_finished (status, finished_at),
  CONSTRAINT outbox_event_one_payload CHECK ((payload IS NULL) <> (payload_bytes IS NULL)),
  CONSTRAINT outbox_event_headers_json CHECK (JSON_VALID(headers))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  -- exact to the letter and to the trailing space; MySQL and MariaDB have different names for it
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

-- only if you use an age-based purger (writer-only mode):
-- CREATE INDEX outbox_event_created ON outbox_event (created_at);
