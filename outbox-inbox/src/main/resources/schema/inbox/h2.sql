-- The inbox table for H2 2.2 and later.
-- For another table name: InboxSchema.ddl(...), or replace inbox_event everywhere.

CREATE TABLE IF NOT EXISTS inbox_event (
  consumer     VARCHAR(128)                NOT NULL,
  event_id     VARCHAR(255)                NOT NULL,
  processed_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  PRIMARY KEY (consumer, event_id)
);

-- what the purger takes next
CREATE INDEX IF NOT EXISTS inbox_event_processed ON inbox_event (processed_at);
