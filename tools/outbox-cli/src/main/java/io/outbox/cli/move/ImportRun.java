package io.outbox.cli.move;

import io.outbox.cli.command.Interruption;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Progress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** One call of the command: goes through the rows, with progress, until it is stopped. */
final class ImportRun {

  private static final Duration PAUSE = Duration.ofMillis(500);

  private final OutboxSession session;
  private final SourceTable source;
  private final Output output;
  private final ImportOptions options;
  private final Tally copied = new Tally();
  private final Tally pending = new Tally();
  private boolean stopped;

  ImportRun(OutboxSession session, SourceTable source, Output output, ImportOptions options) {
    this.session = session;
    this.source = source;
    this.output = output;
    this.options = options;
  }

  /** What became of all rows. */
  Tally tally() {
    Tally all = new Tally();
    all.addAll(pending);
    all.addAll(copied);
    return all;
  }

  /** Whether somebody pressed Ctrl-C. */
  boolean wasStopped() {
    return stopped;
  }

  /**
   * Goes through the rows of each kind. If it takes pending rows, it does so again and again,
   * because writers may commit rows that are older than those it has passed; it ends when no pass
   * took any for the time it is to follow.
   */
  void run(Step step, boolean takes) throws SQLException {
    try (Interruption interruption = Interruption.watch()) {
      boolean open = !options.follow().isZero();
      Progress progress = output.progress("import", open ? 0 : Math.min(options.limit(), total()));
      for (RowKind kind : options.kinds()) {
        if (kind == RowKind.PENDING && takes) {
          takeAll(step, progress, interruption);
        } else {
          pass(kind, step, progress, interruption);
        }
      }
      progress.end();
    }
  }

  private void takeAll(Step step, Progress progress, Interruption interruption)
      throws SQLException {
    long newAt = System.nanoTime();
    while (!stopped && left() > 0) {
      long before = pending.taken();
      pending.forgetRefused();
      pass(RowKind.PENDING, step, progress, interruption);
      if (pending.taken() > before) {
        newAt = System.nanoTime();
      } else if (System.nanoTime() - newAt >= options.follow().toNanos()) {
        return;
      } else {
        LockSupport.parkNanos(PAUSE.toNanos());
        stopped = stopped || interruption.isRequested();
      }
    }
  }

  private void pass(RowKind kind, Step step, Progress progress, Interruption interruption)
      throws SQLException {
    if (stopped) {
      return;
    }
    Tally tally = kind == RowKind.PENDING ? pending : copied;
    stopped =
        !new Sweep(session, source, options.batch())
            .through(
                kind,
                step,
                left(),
                some -> {
                  tally.addAll(some);
                  progress.at(rows(), rows());
                  return !interruption.isRequested();
                });
  }

  private long left() {
    return options.limit() - rows();
  }

  private long rows() {
    return pending.rows() + copied.rows();
  }

  private long total() throws SQLException {
    return counts().values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many rows of each kind there are now. */
  Map<RowKind, Long> counts() throws SQLException {
    Map<RowKind, Long> counts = new EnumMap<>(RowKind.class);
    for (RowKind kind : options.kinds()) {
      counts.put(kind, source.count(UtcConnection.of(session), kind));
    }
    return counts;
  }
}
