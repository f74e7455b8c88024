-- For Flyway: without a version, so that it cannot collide with one of yours.
-- What Outbox.orderedByKey() needs besides the outbox table, for MySQL 8.0.16 and later and MariaDB
-- 10.6 and later.
-- For another table name: OutboxSchema.orderedByKeyDdl(...), or replace outbox_event everywhere.

-- which node delivers the events of which keys
CREATE TABLE IF NOT EXISTS outbox_event_lane (
  lane        INT          NOT NULL,
  owner       VARCHAR(128),
  -- counts the owners
  epoch       BIGINT       NOT NULL DEFAULT 0,
  owned_until DATETIME(6),
  -- how keys are divided among lanes, on all nodes alike
  division    VARCHAR(16)  NOT NULL DEFAULT 'md5-64',
  PRIMARY KEY (lane)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

INSERT IGNORE INTO outbox_event_lane (lane) VALUES
  (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15),
  (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31),
  (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47),
  (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63);

-- which nodes there are
CREATE TABLE IF NOT EXISTS outbox_event_node (
  node_id VARCHAR(128) NOT NULL,
  beat_at DATETIME(6)  NOT NULL,
  PRIMARY KEY (node_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

-- keys that wait because one of their events is dead
CREATE TABLE IF NOT EXISTS outbox_event_block (
  key_name   VARCHAR(255) NOT NULL,
  lane       INT          NOT NULL,
  event_id   VARCHAR(36)  NOT NULL,
  blocked_at DATETIME(6)  NOT NULL,
  reason     TEXT,
  PRIMARY KEY (key_name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

-- key and lane of what is pending, null for the rest; stored, because a virtual column would be
-- computed again for every change of a row, and once more when its old entry is removed
ALTER TABLE outbox_event
  ADD COLUMN IF NOT EXISTS key_name VARCHAR(255) GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) THEN
      COALESCE(ordering_key, CONCAT(COALESCE(aggregate_type, '__GLOBAL__'), ':', aggregate_id),
        event_id) END) STORED,
  ADD COLUMN IF NOT EXISTS key_lane SMALLINT GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) THEN
      CONV(LEFT(MD5(
        COALESCE(ordering_key, CONCAT(COALESCE(aggregate_type, '__GLOBAL__'), ':', aggregate_id),
          event_id)), 2), 16, 10) & 63 END) STORED;

-- pending, from key to key; with available_at, so that a key that is not due is seen here
CREATE INDEX IF NOT EXISTS outbox_event_key ON outbox_event (key_lane, key_name, seq, available_at);
