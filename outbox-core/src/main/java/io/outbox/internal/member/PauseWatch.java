package io.outbox.internal.member;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventRoute;
import io.outbox.operate.DeliveryPause;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OperatorStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Looks every second for what operators have paused, every other while nothing is. What cannot be
 * read does not change: after a failure the last known pauses stay, and before the first answer
 * everything is paused.
 */
public final class PauseWatch {

  private static final Logger LOG = PrintableLogger.of(PauseWatch.class);
  private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Most nodes are idle most of the time, and each look is a transaction. */
  private static final long NOTHING_PAUSED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Without its tables there is nothing to look for but the tables. */
  private static final long NOT_INSTALLED_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final StoreSession session;
  private final MetricsExporter metrics;
  private final PausedRoutes paused;
  private final OperatorStore store; // null: nothing can be paused
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;
  private final Consumer<List<DeliveryPause>> holds;
  private Map<String, DeliveryPause> known = Map.of();
  private boolean installed;

  /**
   * @param mayDeliver if not, all is paused
   * @param holds told at every look what is paused by tenant or destination
   */
  public PauseWatch(
      StoreSession session,
      MetricsExporter metrics,
      BooleanSupplier mayDeliver,
      PausedRoutes.Listener listener,
      Consumer<List<DeliveryPause>> holds) {
    this.holds = holds;
    this.session = session;
    this.metrics = metrics;
    this.store = session.store().operator().orElse(null);
    List<EventRoute> atFirst = store == null ? List.of() : List.of(EventRoute.ANY);
    this.paused = new PausedRoutes(atFirst, listener, mayDeliver);
    this.thread = new EngineThread("outbox-pauses-", "pauses cannot be read", this::run);
  }

  public PausedRoutes paused() {
    return paused;
  }

  /** Returns when the pauses are known, or after a bounded time. */
  public void start() {
    if (store == null) {
      return;
    }
    if (!thread.startAndWait()) {
      LOG.log(
          Level.WARNING, "it is not known yet what is paused; nothing is delivered until it is");
    }
  }

  public void close() {
    thread.close();
  }

  private long run() {
    try {
      look();
      thread.answered();
      if (!installed) {
        return NOT_INSTALLED_NANOS;
      }
      return known.isEmpty() ? NOTHING_PAUSED_NANOS : BEAT_NANOS;
    } catch (Throwable e) {
      installed = false; // to be looked for again
      warning.log(() -> "it cannot be read what is paused; what was paused stays so", e);
      return BEAT_NANOS;
    }
  }

  /** Looks once. */
  void look() {
    List<DeliveryPause> pauses =
        session.read(
            conn -> {
              installed = installed || store.isInstalled(conn);
              return installed ? store.pauses(conn) : List.<DeliveryPause>of();
            });
    Map<String, DeliveryPause> now = new LinkedHashMap<>();
    pauses.forEach(pause -> now.put(what(pause), pause));
    holds.accept(pauses.stream().filter(pause -> !pause.isByType()).toList());
    // Last: at the first look this begins delivery.
    paused.set(pauses.stream().filter(DeliveryPause::isByType).map(PauseWatch::route).toList());
    report(now);
    known = now;
    metrics.recordDeliveryPauses(now.size());
  }

  private static EventRoute route(DeliveryPause pause) {
    return new EventRoute(pause.aggregateType(), pause.eventType());
  }

  private static String what(DeliveryPause pause) {
    if (pause.tenantId() != null) {
      return "tenant " + pause.tenantId();
    }
    return pause.destination() == null
        ? route(pause).toString()
        : "destination " + pause.destination();
  }

  private void report(Map<String, DeliveryPause> now) {
    now.forEach(
        (what, pause) -> {
          if (!known.containsKey(what)) {
            LOG.log(Level.INFO, () -> "delivery is paused for " + what + ", by " + pause.by());
          }
        });
    for (String what : known.keySet()) {
      if (!now.containsKey(what)) {
        LOG.log(Level.INFO, () -> "delivery goes on for " + what);
      }
    }
  }
}
