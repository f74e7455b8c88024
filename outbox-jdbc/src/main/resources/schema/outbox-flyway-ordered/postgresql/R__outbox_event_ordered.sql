-- For Flyway: without a version, so that it cannot collide with one of yours.
-- What Outbox.orderedByKey() needs besides the outbox table, for PostgreSQL 12 and later. The
-- database must be encoded in UTF-8.
-- For another table name: OutboxSchema.orderedByKeyDdl(...), or replace outbox_event everywhere.

-- which node delivers the events of which keys
CREATE TABLE IF NOT EXISTS outbox_event_lane (
  lane        INT            NOT NULL,
  owner       VARCHAR(128),
  -- counts the owners
  epoch       BIGINT         NOT NULL DEFAULT 0,
  owned_until TIMESTAMPTZ(6),
  -- how keys are divided among lanes, on all nodes alike
  division    VARCHAR(16)    NOT NULL DEFAULT 'md5-64',
  CONSTRAINT outbox_event_lane_pkey PRIMARY KEY (lane)
) WITH (fillfactor = 50);

INSERT INTO outbox_event_lane (lane)
  SELECT n FROM generate_series(0, 63) n ON CONFLICT DO NOTHING;

-- which nodes there are
CREATE TABLE IF NOT EXISTS outbox_event_node (
  node_id VARCHAR(128)   NOT NULL,
  beat_at TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT outbox_event_node_pkey PRIMARY KEY (node_id)
) WITH (fillfactor = 50);

-- keys that wait because one of their events is dead
CREATE TABLE IF NOT EXISTS outbox_event_block (
  key_name   VARCHAR(255)   NOT NULL,
  lane       INT            NOT NULL,
  event_id   VARCHAR(36)    NOT NULL,
  blocked_at TIMESTAMPTZ(6) NOT NULL,
  reason     TEXT,
  CONSTRAINT outbox_event_block_pkey PRIMARY KEY (key_name)
);

-- pending, from key to key: by lane, key and seq
CREATE INDEX IF NOT EXISTS outbox_event_key ON outbox_event (
  (get_byte(decode(substr(md5(
    coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
  ), 1, 2), 'hex'), 0) & 63),
  (coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    COLLATE "C"),
  seq)
  WHERE status IN (0, 2);
