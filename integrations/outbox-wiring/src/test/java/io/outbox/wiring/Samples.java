package io.outbox.wiring;

import io.outbox.wiring.Settings.AfterDead;
import io.outbox.wiring.Settings.ArchiveTarget;
import io.outbox.wiring.Settings.Initialize;
import io.outbox.wiring.Settings.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Settings as every framework must read them. */
final class Samples {

  private Samples() {}

  /** Of an application that sets nothing else. */
  static Settings defaults(Mode mode, boolean leases) {
    return new Settings(
        "outbox",
        mode,
        "outbox_event",
        false,
        false,
        new Settings.Dispatcher(
            4, 256, null, Duration.ofMinutes(5), 1000, 1000, 64L << 20, 5000L, false),
        new Settings.Retry(10, null, 200, 60_000),
        Map.of(),
        new Settings.Poller(5000L, 50, 0),
        new Settings.ClaimLocking(leases, null, Duration.ofMinutes(5)),
        new Settings.OrderedByKey(
            null, Duration.ofSeconds(15), Duration.ofSeconds(10), null, AfterDead.CONTINUE),
        new Settings.Purge(
            false,
            Duration.ofDays(7),
            500,
            3600L,
            new Settings.Archive(ArchiveTarget.NONE, null, 64L << 20),
            new Settings.Rotation(false, 1_000_000, 2)),
        new Settings.Schema(Initialize.EMBEDDED, true));
  }

  /** Of {@code all.properties}. */
  static Settings all() {
    return all(Mode.ORDERED_BY_KEY, seconds(9), true);
  }

  /** The same, but for what does not go with each other or with each Java. */
  static Settings all(Mode mode, Duration listenerTimeout, boolean virtualThreads) {
    return new Settings(
        "outbox",
        mode,
        "shop.events",
        true,
        virtualThreads,
        new Settings.Dispatcher(7, 8, listenerTimeout, seconds(10), 11, 12, 13_000L, 14L, true),
        new Settings.Retry(15, seconds(16), 17, 18),
        Map.of("Order/OrderPlaced", listener()),
        new Settings.Poller(27L, 28, 29),
        new Settings.ClaimLocking(true, "node-30", seconds(31)),
        new Settings.OrderedByKey("node-32", seconds(33), seconds(34), true, AfterDead.BLOCK),
        new Settings.Purge(
            true,
            seconds(35),
            36,
            37L,
            new Settings.Archive(ArchiveTarget.FILES, Path.of("archive-38"), 39_000),
            new Settings.Rotation(true, 40_000, 41)),
        new Settings.Schema(Initialize.NEVER, false));
  }

  private static Settings.Listener listener() {
    return new Settings.Listener(
        19,
        seconds(20),
        new Settings.Delays(21, 22),
        List.of(IOException.class, IllegalStateException.class),
        List.of(SQLException.class),
        seconds(23),
        24,
        new Settings.RateLimit(25, seconds(26)));
  }

  static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** With a line per setting, as in the files. */
  static String lines(Settings settings) {
    return settings.toString().replace(", ", "\n");
  }
}
