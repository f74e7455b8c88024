package io.outbox.spi.lanes;

/**
 * A lane and the term for which it is owned.
 *
 * @param epoch counts the owners of a lane: a takeover increments it, so that what a former owner
 *     still writes can be told from what the present one writes
 */
public record Lane(int number, long epoch) {}
