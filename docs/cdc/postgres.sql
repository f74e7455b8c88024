-- What the connector of postgres.properties needs, created by the owner of the table.

-- the connector's user; give it a password
CREATE ROLE outbox_cdc LOGIN REPLICATION;

-- Inserts only, so that a purge is no message. publish_via_partition_root lets a table in partitions
-- look like one; it does no harm to others.
CREATE PUBLICATION outbox FOR TABLE outbox_event
  WITH (publish = 'insert', publish_via_partition_root = true);

-- for the snapshot of what is there when the connector starts
GRANT SELECT ON outbox_event TO outbox_cdc;
