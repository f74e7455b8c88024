package io.outbox.spi.lanes;

/**
 * A lane and the term for which it is owned.
 *
 * @param epoch counts the owners of a lane: a takeover increments it, which tells the writes of a
 *     former owner from the writes of the present owner
 */
public record Lane(int number, long epoch) {}
