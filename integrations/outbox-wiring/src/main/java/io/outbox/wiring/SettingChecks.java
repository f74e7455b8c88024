package io.outbox.wiring;

import io.outbox.spi.OutboxStore;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Settings.Mode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;

/** Settings that do not go with each other, with the store or with this Java. */
record SettingChecks(Settings settings) {

  private static final Logger LOG = PrintableLogger.of(SettingChecks.class);
  private static final int VIRTUAL_THREADS_SINCE = 21;

  void require() {
    requireVirtualThreads();
    Mode mode = settings.mode();
    boolean leases = settings.claimLocking().enabled();
    if (mode == Mode.MULTI_NODE && !leases) {
      throw refused(
          "The property P.mode is multi-node, but P.claim-locking.enabled is not true: without"
              + " leases every node would deliver every event.",
          "Set P.claim-locking.enabled=true, and the same P.claim-locking.lock-timeout on all"
              + " nodes. If there is only one node, set P.mode=single-node.");
    } else if (mode == Mode.ORDERED_BY_KEY && settings.dispatcher().listenerTimeout() != null) {
      throw refused(
          "The property P.dispatcher.listener-timeout is set, but P.mode is ordered-by-key: a"
              + " listener that does not yield to its timeout would overlap with the next event of"
              + " its key.",
          "Remove P.dispatcher.listener-timeout, and let the listener limit its own calls.");
    } else if (mode != Mode.MULTI_NODE && leases) {
      LOG.log(
          Level.WARNING,
          settings.name("claim-locking.enabled")
              + " has no effect in the mode "
              + mode.name().toLowerCase(Locale.ROOT).replace('_', '-')
              + (mode == Mode.ORDERED_BY_KEY
                  ? ": nodes share keys instead"
                  : ": the outbox takes no leases, and only one process may deliver"));
    }
  }

  private void requireVirtualThreads() {
    int java = Runtime.version().feature();
    if (settings.virtualThreads() && java < VIRTUAL_THREADS_SINCE) {
      throw refused(
          "The property P.virtual-threads is true, but this is Java "
              + java
              + ": virtual threads need Java 21 or later.",
          "Run the application on Java 21 or later, or remove P.virtual-threads and set a higher"
              + " P.dispatcher.worker-count.");
    }
  }

  void require(OutboxStore store) {
    String name = store.getClass().getName();
    if (settings.deleteOnDone()
        && settings.mode() != Mode.WRITER_ONLY
        && !store.supportsDeletes()) {
      throw refused(
          "The property P.delete-on-done is true, but the store " + name + " cannot delete.",
          "Let the store implement supportsDeletes and recordOutcomes, or keep delivered events:"
              + " P.delete-on-done=false.");
    }
    if (settings.mode() == Mode.ORDERED_BY_KEY
        && Boolean.TRUE.equals(settings.orderedByKey().notifications())
        && store.lanes().flatMap(LaneStore::signals).isEmpty()) {
      throw refused(
          "The property P.ordered-by-key.notifications is true, but the store "
              + name
              + " cannot send any: only PostgreSQL can.",
          "Remove P.ordered-by-key.notifications; events of other nodes are then looked for ten"
              + " times a second.");
    }
  }

  private OutboxConfigurationException refused(String problem, String action) {
    return new OutboxConfigurationException(named(problem), named(action));
  }

  private String named(String text) {
    return text.replace("P.", settings.prefix() + ".");
  }
}
