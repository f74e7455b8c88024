/** Partitions by {@code seq} for an outbox table on PostgreSQL that events are delivered from. */
package io.outbox.jdbc.partition;
