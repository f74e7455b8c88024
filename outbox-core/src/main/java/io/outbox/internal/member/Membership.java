package io.outbox.internal.member;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tells the other nodes of a table that this one is there, and whether it may deliver: only nodes
 * of one mode do. What was allowed ends by itself unless it is renewed, counted from before the
 * database was asked. Thread-safe.
 */
public final class Membership {

  private static final Logger LOG = PrintableLogger.of(Membership.class);

  /** How long a node that is not heard of keeps nodes of another mode waiting. */
  public static final Duration LIFETIME = Duration.ofSeconds(15);

  /** A node stops a little earlier than others may begin. */
  private static final Duration MARGIN = LIFETIME.dividedBy(10);

  private static final Duration BEAT = LIFETIME.dividedBy(5);
  private static final Duration WAITING_BEAT = Duration.ofSeconds(1);

  /** What a node says about itself may change often; nobody need hear of it sooner. */
  private static final Duration SHORTEST_BEAT = Duration.ofMillis(500);

  /** Without its table there is nothing to do but to look for it. */
  private static final Duration NOT_INSTALLED_BEAT = Duration.ofSeconds(10);

  private static final long LEAVE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A database that answers, but not to this, does not keep events waiting. */
  private static final int MAX_REFUSALS = 3;

  /** Called on a separate thread. */
  public interface Listener {
    /** Delivery may begin or has to end. */
    void changed(boolean mayDeliver);

    /**
     * Which other nodes are alive; at each beat, and the first time before delivery may begin.
     *
     * @param others none if nobody keeps a list
     */
    default void heard(List<Member> others) {}
  }

  private enum State {
    /** Not asked yet. */
    UNKNOWN,
    /** Nobody keeps a list of nodes. */
    UNGUARDED,
    DELIVERS,
    WAITS
  }

  private record View(boolean delivers, List<Member> members) {}

  private final StoreSession session;
  private final MemberStore store; // null: nobody keeps a list
  private final String node;
  private final DeliveryMode mode;
  private final MemberReport report;
  private final Supplier<MemberDetail> detail;
  private final Listener listener;
  private final LongSupplier nanoTime;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;
  private volatile State state;
  private volatile long deadlineNanos;
  private long beatNanos;
  private boolean beaten;
  private boolean installed;
  private int refusals;
  private boolean told;

  /**
   * @param mode null for an engine that is wired by hand, which is no member
   * @param report told what each beat has shown
   * @param detail what this node says about itself; asked at each beat, not before the start
   * @param nanoTime goes on while the process stands still
   */
  public Membership(
      StoreSession session,
      String node,
      DeliveryMode mode,
      MemberReport report,
      Supplier<MemberDetail> detail,
      Listener listener,
      LongSupplier nanoTime) {
    this.session = session.renewing(LIFETIME);
    this.store = mode == null ? null : session.store().members().orElse(null);
    this.node = node;
    this.mode = mode;
    this.report = report;
    this.detail = detail;
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.state = store == null ? State.UNGUARDED : State.UNKNOWN;
    this.thread =
        new EngineThread("outbox-members-", "a beat failed", () -> beatInTime().toNanos());
  }

  /** Whether listeners may be called now. */
  public boolean mayDeliver() {
    return switch (state) {
      case UNGUARDED -> true;
      case DELIVERS -> nanoTime.getAsLong() - deadlineNanos < 0;
      case UNKNOWN, WAITS -> false;
    };
  }

  /** Returns when it is known whether this node may deliver, or after a bounded time. */
  public void start() {
    if (store == null) {
      return;
    }
    if (!thread.startAndWait()) {
      LOG.log(Level.WARNING, "it is not known yet which nodes deliver; this one waits until it is");
    }
  }

  /**
   * Ends; bounded.
   *
   * @param nothingRuns if not, the node is not forgotten at once: nodes of another mode would
   *     deliver again what a listener still has
   */
  public void close(boolean nothingRuns) {
    thread.close(nothingRuns ? this::leave : () -> {});
    try {
      thread.join(LEAVE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What this node says about itself has changed: the others hear of it soon. */
  public void detailChanged() {
    if (store != null) {
      thread.wake();
    }
  }

  /** Beats, unless the last beat was just now; returns when to do so again. */
  Duration beatInTime() {
    long now = nanoTime.getAsLong();
    Duration early = SHORTEST_BEAT.minusNanos(now - beatNanos);
    if (beaten && !early.isNegative() && !early.isZero()) {
      return early;
    }
    beatNanos = now;
    beaten = true;
    return beatSafely();
  }

  /** Beats once; returns when to do so again. */
  Duration beatSafely() {
    Duration pause = WAITING_BEAT;
    try {
      pause = beat();
      refusals = 0;
      thread.answered();
    } catch (Throwable e) {
      installed = false; // to be looked for again
      warning.log(() -> "the beat of node " + node + " failed; trying again", e);
      if (state == State.UNKNOWN && isRefused(e) && ++refusals == MAX_REFUSALS) {
        unguarded("its table cannot be used: " + e.getMessage());
        thread.answered();
      }
    }
    tell();
    return pause;
  }

  private static boolean isRefused(Throwable e) {
    return StoreFailures.kindOf(e) == StoreFailures.Kind.REFUSED;
  }

  private Duration beat() {
    if (!installed) {
      installed = session.read(store::isInstalled);
    }
    if (!installed) {
      heard(List.of());
      unguarded("its table is missing; OutboxSchema.migrate(...) or outbox schema create adds it");
      return NOT_INSTALLED_BEAT;
    }
    String says = detailOrNull();
    long asked = nanoTime.getAsLong();
    View view =
        session.persistently(
            conn -> new View(store.beat(conn, node, mode, LIFETIME, says), store.list(conn)));
    heard(view.members());
    deadlineNanos = asked + LIFETIME.minus(MARGIN).toNanos();
    state = view.delivers() ? State.DELIVERS : State.WAITS;
    report.on(view.delivers(), view.members());
    return view.delivers() ? BEAT : WAITING_BEAT;
  }

  private void heard(List<Member> all) {
    try {
      listener.heard(all.stream().filter(member -> !member.node().equals(node)).toList());
    } catch (Throwable e) {
      warning.log(() -> "after a look at the other nodes", e);
    }
  }

  /** Whatever is wrong with it, the node is alive. */
  private String detailOrNull() {
    try {
      return detail.get().write();
    } catch (Throwable e) {
      warning.log(() -> "node " + node + " cannot say why events wait", e);
      return null;
    }
  }

  private void unguarded(String why) {
    if (state != State.UNGUARDED) {
      state = State.UNGUARDED;
      LOG.log(
          Level.WARNING,
          () ->
              "nodes of different modes are not kept apart, and a second process in "
                  + mode
                  + " is not noticed: "
                  + why);
    }
  }

  private void tell() {
    boolean now = mayDeliver();
    if (now != told) {
      told = now;
      try {
        listener.changed(now);
      } catch (Throwable e) {
        warning.log(() -> "after a change of what may be delivered", e);
      }
    }
  }

  private void leave() {
    if (!installed) {
      return;
    }
    try {
      session.inTransaction(
          conn -> {
            store.leave(conn, node);
            return null;
          });
    } catch (Throwable e) {
      warning.log(() -> "node " + node + " is forgotten only when its time has passed", e);
    }
  }
}
