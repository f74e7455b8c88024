package io.outbox.internal.engine;

import java.time.Duration;

/**
 * What {@link KeyedEngine} needs beyond the settings of every engine.
 *
 * @param node names this process; no other may have the same
 * @param lease how long lanes stay with a node that is not heard of
 * @param handover how long a handover waits for what runs
 * @param intervalMs how often all keys are looked through
 * @param blockAfterDead whether a key waits when one of its events is DEAD
 * @param notifications whether nodes learn at once what others have committed
 */
public record KeyedSettings(
    String node,
    Duration lease,
    Duration handover,
    long intervalMs,
    boolean blockAfterDead,
    boolean notifications) {}
