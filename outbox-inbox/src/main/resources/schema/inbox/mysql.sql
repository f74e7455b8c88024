-- The inbox table for MySQL 8.0.16 and later, and MariaDB 10.6 and later.
-- For another table name: InboxSchema.ddl(...), or replace inbox_event everywhere.
-- All times are UTC.

CREATE TABLE IF NOT EXISTS inbox_event (
  consumer     VARCHAR(128) NOT NULL,
  event_id     VARCHAR(255) NOT NULL,
  processed_at DATETIME(6)  NOT NULL,
  PRIMARY KEY (consumer, event_id),
  -- what the purger takes next
  KEY inbox_event_processed (processed_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  -- exact to the letter and to the trailing space; MySQL and MariaDB have different names for it
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;
