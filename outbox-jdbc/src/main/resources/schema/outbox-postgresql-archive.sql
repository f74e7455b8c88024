-- Finished events that were moved out of the outbox table, for PostgreSQL 12 and later.
-- For another table name: OutboxSchema.archiveDdl(...), or replace outbox_event everywhere.

CREATE TABLE outbox_event_archive (
  event_id       VARCHAR(36)    NOT NULL,
  event_type     VARCHAR(128)   NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        JSON,
  headers        JSON,
  -- 1 done, 3 dead
  status         SMALLINT       NOT NULL,
  attempts       INT            NOT NULL,
  available_at   TIMESTAMPTZ(6) NOT NULL,
  created_at     TIMESTAMPTZ(6) NOT NULL,
  done_at        TIMESTAMPTZ(6),
  last_error     TEXT,
  seq            BIGINT         NOT NULL,
  lease_no       BIGINT         NOT NULL,
  ordering_key   VARCHAR(255),
  partition_key  VARCHAR(255),
  payload_bytes  BYTEA,
  content_type   VARCHAR(128),
  replayed_at    TIMESTAMPTZ(6),
  archived_at    TIMESTAMPTZ(6) NOT NULL,
  -- an event that was replayed and has finished again replaces its earlier row
  CONSTRAINT outbox_event_archive_pkey PRIMARY KEY (event_id)
);

-- the searches of an operator
CREATE INDEX outbox_event_archive_time ON outbox_event_archive (created_at, event_id);
CREATE INDEX outbox_event_archive_type ON outbox_event_archive (event_type, created_at, event_id);
CREATE INDEX outbox_event_archive_agg ON outbox_event_archive (aggregate_id, created_at, event_id)
  WHERE aggregate_id IS NOT NULL;
CREATE INDEX outbox_event_archive_key ON outbox_event_archive (ordering_key, created_at, event_id)
  WHERE ordering_key IS NOT NULL;
