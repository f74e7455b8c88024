-- For Flyway: without a version, so that it cannot collide with one of yours.
-- Which nodes deliver from the outbox table, and in which mode, for PostgreSQL 12 and later.
-- For another table name: OutboxSchema.membersDdl(...), or replace outbox_event everywhere.

CREATE TABLE IF NOT EXISTS outbox_event_member (
  node_id     VARCHAR(128)   NOT NULL,
  -- how it delivers; only nodes of one mode do
  mode        VARCHAR(32)    NOT NULL,
  -- 1 delivers, 0 waits for nodes of another mode
  delivers    SMALLINT       NOT NULL,
  started_at  TIMESTAMPTZ(6) NOT NULL,
  beat_at     TIMESTAMPTZ(6) NOT NULL,
  -- gone after that, unless it is heard of again
  alive_until TIMESTAMPTZ(6) NOT NULL,
  -- what else a node says about itself
  detail      TEXT,
  CONSTRAINT outbox_event_member_pkey PRIMARY KEY (node_id)
) WITH (fillfactor = 50);

-- no node: who wants to begin to deliver locks this row
INSERT INTO outbox_event_member (node_id, mode, delivers, started_at, beat_at, alive_until)
  VALUES ('*', '*', 0, '2000-01-01 00:00:00Z', '2000-01-01 00:00:00Z', '2000-01-01 00:00:00Z')
  ON CONFLICT DO NOTHING;
