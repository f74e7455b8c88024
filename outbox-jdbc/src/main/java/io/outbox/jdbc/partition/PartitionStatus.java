package io.outbox.jdbc.partition;

/**
 * The partitions of a table at a moment.
 *
 * @param partitions how many there are, without those for kept events and the default partition
 * @param eventsAhead how many events can be written before they go to the default partition
 * @param keptBelow events with a lower {@code seq} outlived their partition
 * @param defaultIsEmpty false: events were written that had no partition
 */
public record PartitionStatus(
    int partitions, long eventsAhead, long keptBelow, boolean defaultIsEmpty) {}
