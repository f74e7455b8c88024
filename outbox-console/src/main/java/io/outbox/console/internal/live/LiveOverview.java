package io.outbox.console.internal.live;

import com.google.gson.JsonObject;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Response;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The overview of one outbox: asked for once, for all viewers. Without a viewer it is asked for
 * seldom, so that the charts begin with something, and after a while not at all.
 */
public final class LiveOverview {

  private static final Logger LOG = PrintableLogger.of(LiveOverview.class);
  private static final Duration UNWATCHED = Duration.ofSeconds(30);
  private static final Duration UNWATCHED_FOR = Duration.ofHours(1);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final String name;
  private final OutboxOperator operator;
  private final Duration refresh;
  private final Semaphore seats;
  private final Function<Overview, JsonObject> renderer;
  private final List<Viewer> viewers = new CopyOnWriteArrayList<>();
  // held while the database is asked; apart from the monitor, so that nobody waits for it to watch
  private final Lock asking = new ReentrantLock();
  private final History history = new History(); // guarded by this
  private JsonObject last; // guarded by this
  private long lastAt; // guarded by this
  private boolean failing; // guarded by asking
  private volatile long lastSeenAt;
  private volatile boolean seen;
  private volatile boolean suspended;

  /**
   * @param seats how many may watch, shared by all outboxes
   */
  public LiveOverview(
      String name,
      OutboxOperator operator,
      Duration refresh,
      Semaphore seats,
      Function<Overview, JsonObject> renderer) {
    this.name = name;
    this.operator = operator;
    this.refresh = refresh;
    this.seats = seats;
    this.renderer = renderer;
  }

  /** The overview, no older than one refresh. */
  public JsonObject current() {
    noteInterest();
    asking.lock();
    try {
      if (isOlderThan(refresh)) {
        look();
      }
    } finally {
      asking.unlock();
    }
    synchronized (this) {
      return last;
    }
  }

  /** Begins to watch: what there is, and what comes. */
  public Response watch(BooleanSupplier welcome) {
    if (!seats.tryAcquire()) {
      throw new HttpFailure(
          503, "Too many pages watch this console. Close one; this page goes on by asking.");
    }
    Viewer[] self = new Viewer[1];
    Viewer viewer =
        new Viewer(
            welcome,
            HEARTBEAT,
            () -> {
              viewers.remove(self[0]);
              noteInterest();
              seats.release();
            });
    self[0] = viewer;
    noteInterest();
    synchronized (this) {
      viewer.offer(Message.of("history", history.toJson()));
      if (last != null) {
        viewer.offer(Message.of("overview", last));
      }
      viewers.add(viewer);
    }
    if (suspended) {
      viewer.close();
      throw new HttpFailure(503, "The console is being stopped.");
    }
    return new Response.Live(
        Map.of(
            "Content-Type", "text/event-stream; charset=utf-8",
            "Cache-Control", "no-store",
            "X-Accel-Buffering", "no"),
        viewer);
  }

  private void noteInterest() {
    lastSeenAt = System.nanoTime();
    seen = true;
  }

  /** Called every {@code refresh}. */
  public void tick() {
    if (viewers.isEmpty() && !isWorthRemembering()) {
      return;
    }
    asking.lock();
    try {
      look();
    } catch (RuntimeException | Error e) {
      LOG.log(failing ? Level.DEBUG : Level.WARNING, "the console cannot look at " + name, e);
      failing = true;
      JsonObject problem = new JsonObject();
      problem.addProperty("message", String.valueOf(e.getMessage()));
      broadcast("problem", problem);
    } finally {
      asking.unlock();
    }
  }

  private boolean isWorthRemembering() {
    return seen
        && System.nanoTime() - lastSeenAt < UNWATCHED_FOR.toNanos()
        && isOlderThan(UNWATCHED);
  }

  private void look() {
    Overview overview = operator.overview();
    failing = false;
    JsonObject rendered = renderer.apply(overview);
    rendered.add("point", History.point(overview));
    synchronized (this) {
      history.add(overview);
      last = rendered;
      lastAt = System.nanoTime();
      broadcast("overview", rendered);
    }
  }

  private synchronized boolean isOlderThan(Duration age) {
    return last == null || System.nanoTime() - lastAt >= age.toNanos();
  }

  /** Tells all who watch. */
  public void broadcast(String event, JsonObject data) {
    if (!viewers.isEmpty()) {
      byte[] message = Message.of(event, data);
      viewers.forEach(viewer -> viewer.offer(message));
    }
  }

  /** Nobody watches any more, and nobody begins to until {@link #resume}. */
  public void suspend() {
    suspended = true;
    viewers.forEach(Viewer::close);
  }

  public void resume() {
    suspended = false;
  }
}
