-- For Flyway: without a version, so that it cannot collide with one of yours.
-- What Outbox.orderedByKey() needs besides the outbox table, for H2 2.2 and later.
-- For another table name: OutboxSchema.orderedByKeyDdl(...), or replace outbox_event everywhere.

-- which node delivers the events of which keys
CREATE TABLE IF NOT EXISTS outbox_event_lane (
  lane        INT          NOT NULL,
  owner       VARCHAR(128),
  -- counts the owners
  epoch       BIGINT       DEFAULT 0 NOT NULL,
  owned_until TIMESTAMP(6) WITH TIME ZONE,
  -- how keys are divided among lanes, on all nodes alike
  division    VARCHAR(16)  DEFAULT 'md5-64' NOT NULL,
  PRIMARY KEY (lane)
);

INSERT INTO outbox_event_lane (lane)
  SELECT x FROM SYSTEM_RANGE(0, 63) WHERE x NOT IN (SELECT lane FROM outbox_event_lane);

-- which nodes there are
CREATE TABLE IF NOT EXISTS outbox_event_node (
  node_id VARCHAR(128)                NOT NULL,
  beat_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  PRIMARY KEY (node_id)
);

-- keys that wait because one of their events is dead
CREATE TABLE IF NOT EXISTS outbox_event_block (
  key_name   VARCHAR(255)                NOT NULL,
  lane       INT                         NOT NULL,
  event_id   VARCHAR(36)                 NOT NULL,
  blocked_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  reason     CHARACTER LARGE OBJECT,
  PRIMARY KEY (key_name)
);

-- key and lane of what is pending, null for the rest
ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS key_name VARCHAR(255) GENERATED ALWAYS AS (
  CASE status
    WHEN 0 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    WHEN 2 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id) END);

ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS key_lane SMALLINT GENERATED ALWAYS AS (
  BITAND(CAST(X'000000' || SUBSTRING(HASH('MD5', CASE status
    WHEN 0 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    WHEN 2 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    END) FROM 1 FOR 1) AS INT), 63));

-- pending, from key to key
CREATE INDEX IF NOT EXISTS outbox_event_key ON outbox_event (key_lane, key_name, seq, available_at);
