-- Indexes that only an operator's searches use, for H2 2.2 and later.
-- Each of them makes every insert a little slower; delivery does not need them.
-- For another table name: OutboxSchema.operatorIndexesDdl(...), or replace outbox_event everywhere.

-- the events of an aggregate
CREATE INDEX outbox_event_op_aggregate ON outbox_event (aggregate_id, seq);

-- the events with an ordering key
CREATE INDEX outbox_event_op_key ON outbox_event (ordering_key, seq);

-- all events, the newest first, and those of a range of time
CREATE INDEX outbox_event_op_created ON outbox_event (created_at, seq);
