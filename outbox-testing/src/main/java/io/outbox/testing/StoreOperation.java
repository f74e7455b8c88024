package io.outbox.testing;

/** What can be asked of an {@link InMemoryDatabase}, as {@link Faults} sees it. */
public enum StoreOperation {
  /** Opening a connection. */
  CONNECT,
  COMMIT,
  ROLLBACK,
  /** {@code insertNew}, {@code insertAll}. */
  INSERT,
  /** {@code markDone}, {@code markRetry}, {@code markDead}, {@code markDeferred}. */
  MARK,
  /** {@code pollPending}. */
  POLL,
  /** {@code claimPending}. */
  CLAIM,
  /** {@code fetchPending}. */
  FETCH,
  RECORD_OUTCOMES,
  RENEW_LEASES,
  RELEASE_LEASES,
  RECORD_START,
  QUERY_DEAD,
  REPLAY_DEAD,
  COUNT_DEAD,
  FIND_EXISTING,
  BACKLOG,
  COUNT_UNKNOWN_STATUS,
  CURRENT_TIME,
  /** {@code LaneStore.beat}. */
  BEAT,
  TAKE_LANES,
  /** {@code LaneStore.release}, {@code LaneStore.leave}. */
  RELEASE_LANES,
  LOCK_LANES,
  /** {@code LaneStore.scan}, {@code LaneStore.read}, {@code LaneStore.due}. */
  READ_KEYS,
  RECORD_CLAIMS,
  /** {@code LaneStore.block}, {@code LaneStore.unblock}, {@code LaneStore.blocks}. */
  BLOCKS,
  PURGE
}
