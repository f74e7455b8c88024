-- The subscriptions of several independent listeners, for PostgreSQL 12 and later.
-- For another table name: OutboxSchema.subscriptionsDdl(...), or replace outbox_event everywhere.

CREATE TABLE outbox_event_subscription (
  aggregate_type VARCHAR(64)    NOT NULL,
  event_type     VARCHAR(128)   NOT NULL,
  name           VARCHAR(64)    NOT NULL,
  subscribed_at  TIMESTAMPTZ(6) NOT NULL,
  -- set: its events get no copy for it any more
  ended_at       TIMESTAMPTZ(6),
  PRIMARY KEY (aggregate_type, event_type, name)
);
