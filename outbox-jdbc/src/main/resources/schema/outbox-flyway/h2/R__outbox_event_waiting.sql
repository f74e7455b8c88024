-- For Flyway: without a version, so that it cannot collide with one of yours.
-- Since when an event waits that was tried or deferred, for H2 2.2 and later.
-- For another table name: OutboxSchema.waitingDdl(...), or replace outbox_event everywhere.

-- when it was first due; null until its due time is moved, and again when it is finished or replayed
ALTER TABLE outbox_event ADD COLUMN IF NOT EXISTS waiting_since TIMESTAMP(6) WITH TIME ZONE;

-- the oldest of them, for the lag
CREATE INDEX IF NOT EXISTS outbox_event_waiting ON outbox_event (waiting_since);
