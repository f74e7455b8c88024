--liquibase formatted sql

--changeset io.outbox:ordered-1-h2 dbms:h2
-- What Outbox.orderedByKey() needs besides the outbox table, for H2 2.2 and later.
-- For another table name: OutboxSchema.orderedByKeyDdl(...), or replace outbox_event everywhere.

-- which node delivers the events of which keys
CREATE TABLE outbox_event_lane (
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
CREATE TABLE outbox_event_node (
  node_id VARCHAR(128)                NOT NULL,
  beat_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  PRIMARY KEY (node_id)
);

-- keys that wait because one of their events is dead
CREATE TABLE outbox_event_block (
  key_name   VARCHAR(255)                NOT NULL,
  lane       INT                         NOT NULL,
  event_id   VARCHAR(36)                 NOT NULL,
  blocked_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  reason     CHARACTER LARGE OBJECT,
  PRIMARY KEY (key_name)
);

-- key and lane of what is pending, null for the rest
ALTER TABLE outbox_event ADD COLUMN key_name VARCHAR(255) GENERATED ALWAYS AS (
  CASE status
    WHEN 0 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    WHEN 2 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id) END);

ALTER TABLE outbox_event ADD COLUMN key_lane SMALLINT GENERATED ALWAYS AS (
  BITAND(CAST(X'000000' || SUBSTRING(HASH('MD5', CASE status
    WHEN 0 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    WHEN 2 THEN COALESCE(
      ordering_key, COALESCE(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    END) FROM 1 FOR 1) AS INT), 63));

-- pending, from key to key
CREATE INDEX outbox_event_key ON outbox_event (key_lane, key_name, seq, available_at);
--rollback DROP INDEX outbox_event_key;
--rollback ALTER TABLE outbox_event DROP COLUMN key_lane;
--rollback ALTER TABLE outbox_event DROP COLUMN key_name;
--rollback DROP TABLE outbox_event_block;
--rollback DROP TABLE outbox_event_node;
--rollback DROP TABLE outbox_event_lane;

--changeset io.outbox:ordered-1-postgresql dbms:postgresql
-- What Outbox.orderedByKey() needs besides the outbox table, for PostgreSQL 12 and later. The
-- database must be encoded in UTF-8.
-- For another table name: OutboxSchema.orderedByKeyDdl(...), or replace outbox_event everywhere.

-- which node delivers the events of which keys
CREATE TABLE outbox_event_lane (
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
CREATE TABLE outbox_event_node (
  node_id VARCHAR(128)   NOT NULL,
  beat_at TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT outbox_event_node_pkey PRIMARY KEY (node_id)
) WITH (fillfactor = 50);

-- keys that wait because one of their events is dead
CREATE TABLE outbox_event_block (
  key_name   VARCHAR(255)   NOT NULL,
  lane       INT            NOT NULL,
  event_id   VARCHAR(36)    NOT NULL,
  blocked_at TIMESTAMPTZ(6) NOT NULL,
  reason     TEXT,
  CONSTRAINT outbox_event_block_pkey PRIMARY KEY (key_name)
);

-- pending, from key to key: by lane, key and seq
CREATE INDEX outbox_event_key ON outbox_event (
  (get_byte(decode(substr(md5(
    coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
  ), 1, 2), 'hex'), 0) & 63),
  (coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id, event_id)
    COLLATE "C"),
  seq)
  WHERE status IN (0, 2);
--rollback DROP INDEX outbox_event_key;
--rollback DROP TABLE outbox_event_block;
--rollback DROP TABLE outbox_event_node;
--rollback DROP TABLE outbox_event_lane;

--changeset io.outbox:ordered-1-mysql dbms:mysql,mariadb stripComments:false
CREATE TABLE outbox_event_lane (
  lane        INT          NOT NULL,
  owner       VARCHAR(128),
  epoch       BIGINT       NOT NULL DEFAULT 0,
  owned_until DATETIME(6),
  division    VARCHAR(16)  NOT NULL DEFAULT 'md5-64',
  PRIMARY KEY (lane)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

INSERT IGNORE INTO outbox_event_lane (lane) VALUES
  (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15),
  (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31),
  (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47),
  (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63);

CREATE TABLE outbox_event_node (
  node_id VARCHAR(128) NOT NULL,
  beat_at DATETIME(6)  NOT NULL,
  PRIMARY KEY (node_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

CREATE TABLE outbox_event_block (
  key_name   VARCHAR(255) NOT NULL,
  lane       INT          NOT NULL,
  event_id   VARCHAR(36)  NOT NULL,
  blocked_at DATETIME(6)  NOT NULL,
  reason     TEXT,
  PRIMARY KEY (key_name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4
  /*!80017 COLLATE utf8mb4_0900_bin */ /*M!100600 COLLATE utf8mb4_nopad_bin */;

ALTER TABLE outbox_event
  ADD COLUMN key_name VARCHAR(255) GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) THEN
      COALESCE(ordering_key, CONCAT(COALESCE(aggregate_type, '__GLOBAL__'), ':', aggregate_id),
        event_id) END) STORED,
  ADD COLUMN key_lane SMALLINT GENERATED ALWAYS AS (
    CASE WHEN status IN (0, 2) THEN
      CONV(LEFT(MD5(
        COALESCE(ordering_key, CONCAT(COALESCE(aggregate_type, '__GLOBAL__'), ':', aggregate_id),
          event_id)), 2), 16, 10) & 63 END) STORED;

CREATE INDEX outbox_event_key ON outbox_event (key_lane, key_name, seq, available_at);
--rollback DROP INDEX outbox_event_key ON outbox_event;
--rollback ALTER TABLE outbox_event DROP COLUMN key_lane;
--rollback ALTER TABLE outbox_event DROP COLUMN key_name;
--rollback DROP TABLE outbox_event_block;
--rollback DROP TABLE outbox_event_node;
--rollback DROP TABLE outbox_event_lane;
