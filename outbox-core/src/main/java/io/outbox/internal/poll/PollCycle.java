package io.outbox.internal.poll;

import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.poll.PollSink.Handover;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventRef;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One batch: fetch it, decode it, hand it over, give back what was not taken. */
public final class PollCycle {

  private static final Logger LOG = PrintableLogger.of(PollCycle.class);

  /** Beside what is queued. */
  private static final long MAX_BATCH_BYTES = 16L * 1024 * 1024;

  /**
   * What a cycle came to.
   *
   * @param full whether there may be more
   * @param accepted how many events were newly taken
   * @param held how many had been taken before
   * @param refused whether there was no room for some, which then come first in the next batch
   * @param limited whether it was the bytes that left no room for more
   * @param trusted false if the batch has to be fetched again
   * @param end where to go on; null if the store keeps no cursor
   */
  public record Result(
      boolean full,
      int accepted,
      int held,
      boolean refused,
      boolean limited,
      boolean trusted,
      Position end,
      Optional<Instant> nextDue) {}

  /**
   * Where a batch ended.
   *
   * @param restarts of the sink, when it was fetched: later it is of no use
   */
  public record Position(PollCursor cursor, long restarts) {}

  private final RepeatedWarning noCodec = new RepeatedWarning(LOG, Level.ERROR);
  private final StoreSession session;
  private final EngineClock clock;
  private final PollSink sink;
  private final LagReport lag;
  private final Duration skipRecent;
  private final String claimAs; // null: without claim locking
  private final Duration claimTimeout;

  public PollCycle(
      StoreSession session,
      PollSink sink,
      LagReport lag,
      Duration skipRecent,
      String claimAs,
      Duration claimTimeout) {
    this.session = session;
    this.clock = sink.clock();
    this.sink = sink;
    this.lag = lag;
    this.skipRecent = skipRecent;
    this.claimAs = claimAs;
    this.claimTimeout = claimTimeout;
  }

  /**
   * Runs one cycle for at most {@code limit} events.
   *
   * @param after null to begin at the first row
   */
  public Result run(int limit, Position after) {
    PendingBatch batch;
    Tally tally = new Tally();
    boolean trusted;
    sink.pollStarted();
    long restarts = sink.restarts();
    PollCursor cursor = after == null || after.restarts() != restarts ? null : after.cursor();
    try {
      batch = fetch(limit, cursor);
      handOver(batch.events(), tally);
    } finally {
      trusted = sink.pollFinished();
    }
    if (cursor == null) {
      lag.read(batch.events(), 0);
    }
    return new Result(
        batch.more() || batch.events().size() >= limit,
        tally.accepted,
        tally.held,
        tally.refused,
        batch.more(),
        trusted,
        batch.cursor().map(end -> new Position(end, restarts)).orElse(null),
        batch.nextDue());
  }

  private static final class Tally {
    private int accepted;
    private int held;
    private boolean refused;
  }

  private PendingBatch fetch(int limit, PollCursor after) {
    StoreSession.Work<PendingBatch> work =
        conn -> {
          clock.synchronize(session.store(), conn);
          Instant now = clock.now();
          return session
              .store()
              .fetchPending(
                  conn,
                  new PendingQuery(
                      now,
                      skipRecent,
                      limit,
                      now.minus(claimTimeout),
                      claimAs,
                      MAX_BATCH_BYTES,
                      sink.unwantedRoutes(),
                      after));
        };
    return claimAs == null ? session.lockingNothing(work) : session.inTransaction(work);
  }

  private void handOver(List<OutboxEvent> rows, Tally tally) {
    List<EventRef> unwanted = new ArrayList<>();
    int offered = 0;
    try {
      while (!tally.refused && offered < rows.size()) {
        OutboxEvent row = rows.get(offered);
        switch (offer(row)) {
          case ACCEPTED -> tally.accepted++;
          case HELD -> tally.held++;
          case HELD_ELSEWHERE -> {
            tally.held++;
            unwanted.add(row.ref());
          }
          case UNREADABLE, PAUSED -> unwanted.add(row.ref());
          case FULL -> tally.refused = true;
        }
        offered += tally.refused ? 0 : 1;
      }
    } finally {
      rows.subList(offered, rows.size()).forEach(row -> unwanted.add(row.ref()));
      sink.giveBack(unwanted);
    }
  }

  private Handover offer(OutboxEvent row) {
    EventEnvelope envelope;
    try {
      envelope = EventEnvelope.fromRow(row);
    } catch (IllegalStateException | LinkageError e) {
      // No codec, or a broken one: not the event's fault, nor that of those behind it.
      noCodec.log(() -> "event " + row.eventId() + " waits: its headers cannot be read here", e);
      return Handover.UNREADABLE;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.log(Level.ERROR, () -> "event " + row.eventId() + " cannot be read", e);
      return sink.offerUndecodable(row, e);
    } catch (Error e) {
      noCodec.log(() -> "event " + row.eventId() + " waits: reading it failed", e);
      return Handover.UNREADABLE;
    }
    return sink.offer(row, envelope);
  }
}
