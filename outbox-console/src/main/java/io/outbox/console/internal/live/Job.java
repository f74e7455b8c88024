package io.outbox.console.internal.live;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outbox.jdbc.archive.ArchiveReplayException;
import io.outbox.operate.ActionProgress;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Consumer;

/** A bulk action that was begun. */
public final class Job {

  private static final Logger LOG = PrintableLogger.of(Job.class);
  private static final long TELL_EVERY_NANOS = 250_000_000;

  /** How it stands. */
  enum State {
    WAITING,
    RUNNING,
    FINISHED,
    STOPPED,
    FAILED;

    boolean isOver() {
      return ordinal() >= FINISHED.ordinal();
    }
  }

  /** What it does, telling how far it is. */
  @FunctionalInterface
  public interface Work {
    End run(ActionProgress.Listener listener);
  }

  /**
   * How far it came.
   *
   * @param next the {@code after} of a job that continues; null if nothing is left
   */
  public record End(ActionProgress progress, String next) {}

  /**
   * Which events.
   *
   * @param filter in words
   * @param query the filter as it was sent
   * @param after where an earlier job ended that this one continues; null for a new one
   */
  public record Which(String filter, String query, String after) {
    public Which {
      Objects.requireNonNull(filter, "filter");
      Objects.requireNonNull(query, "query");
    }
  }

  /**
   * What is to be done.
   *
   * @param detail of the action; null for none
   * @param expected how many events a dry run has counted; 0 if there was none
   */
  public record Order(
      String action, String detail, Which which, long expected, String actor, Work work) {
    public Order {
      Objects.requireNonNull(action, "action");
      Objects.requireNonNull(which, "which");
      Objects.requireNonNull(actor, "actor");
      Objects.requireNonNull(work, "work");
    }
  }

  private final long id;
  private final Order order;
  private final Instant startedAt = Instant.now();
  private final Consumer<Job> listener;
  private volatile boolean stop;
  private volatile State state = State.WAITING;
  private volatile ActionProgress progress = new ActionProgress(0, 0, false);
  private volatile String next; // without an end it is where the job began
  private volatile Instant finishedAt;
  private volatile String error;
  private long toldAt = System.nanoTime() - TELL_EVERY_NANOS;

  Job(long id, Order order, Consumer<Job> listener) {
    this.id = id;
    this.order = order;
    this.next = order.which().after();
    this.listener = listener;
  }

  long id() {
    return id;
  }

  boolean isOver() {
    return state.isOver();
  }

  void stop() {
    stop = true;
  }

  void run() {
    if (stop) {
      finish(State.STOPPED, null);
      return;
    }
    state = State.RUNNING;
    try {
      End end = order.work().run(this::onProgress);
      progress = end.progress();
      next = end.next();
      finish(stop && !progress.finished() ? State.STOPPED : State.FINISHED, null);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, () -> "the job to " + order.action() + " events failed", e);
      if (e instanceof ArchiveReplayException replay) {
        next = replay.soFar().next();
      }
      finish(State.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private void finish(State end, String message) {
    error = message;
    finishedAt = Instant.now();
    state = end;
    listener.accept(this);
  }

  private boolean onProgress(ActionProgress now) {
    progress = now;
    if (System.nanoTime() - toldAt >= TELL_EVERY_NANOS) {
      toldAt = System.nanoTime();
      listener.accept(this);
    }
    return !stop;
  }

  /** How it stands now. */
  public JsonObject toJson() {
    State now = state; // first: an end is written before it
    JsonObject json = new JsonObject();
    json.addProperty("id", id);
    json.addProperty("state", now.name());
    json.addProperty("action", order.action());
    json.addProperty("detail", order.detail());
    json.addProperty("filter", order.which().filter());
    json.addProperty("query", order.which().query());
    json.addProperty("after", order.which().after());
    json.addProperty("by", order.actor());
    json.addProperty("expected", order.expected());
    json.addProperty("changed", progress.changed());
    json.addProperty("scanned", progress.scanned());
    json.addProperty("startedAt", startedAt.toString());
    json.add("finishedAt", JsonNull.INSTANCE);
    if (finishedAt != null) {
      json.addProperty("finishedAt", finishedAt.toString());
    }
    json.addProperty("stopping", stop && !now.isOver());
    json.addProperty("next", now.isOver() ? next : null);
    json.addProperty("error", error);
    return json;
  }
}
