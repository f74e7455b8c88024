-- For Flyway: without a version, so that it cannot collide with one of yours.
-- Since when an event waits that was tried or deferred, for MySQL 8.0.16 and later, MariaDB 10.6 and
-- later, and TiDB.
-- For another table name: OutboxSchema.waitingDdl(...), or replace outbox_event everywhere.
-- All times are UTC.

-- when it was first due; null until its due time is moved, and again when it is finished or replayed
SET @outbox_ddl = (
  SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE outbox_event ADD COLUMN waiting_since DATETIME(6), ADD INDEX outbox_event_waiting (waiting_since)')
  FROM information_schema.columns
  WHERE table_schema = DATABASE() AND table_name = 'outbox_event'
    AND column_name = 'waiting_since');
PREPARE outbox_statement FROM @outbox_ddl;
EXECUTE outbox_statement;
DEALLOCATE PREPARE outbox_statement;
