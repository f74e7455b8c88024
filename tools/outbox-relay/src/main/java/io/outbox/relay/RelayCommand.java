package io.outbox.relay;

import io.outbox.util.Printable;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

/** The process around a relay: logging, signals, exit codes. */
final class RelayCommand {

  private final PrintStream err;

  RelayCommand(PrintStream err) {
    this.err = err;
  }

  int run(Path file, boolean dryRun, PrintWriter out) {
    try {
      RelayConfig config = RelayConfig.load(file);
      RelayLog log = RelayLog.install(config.logLevel(), config.secrets(), err);
      if (dryRun) {
        new DryRun(config, out).run();
      } else {
        runUntilAsked(config, log);
      }
      return Relay.OK;
    } catch (RelayConfigException e) {
      e.problems().forEach(problem -> err.println(Printable.block(String.valueOf(problem))));
      return Relay.INVALID_CONFIG;
    } catch (RelayStartException e) {
      err.println(Printable.block(e.getMessage()));
      return Relay.FAILED;
    }
  }

  /** The process ends when the shutdown hook has returned, so that waits for us. */
  private static void runUntilAsked(RelayConfig config, RelayLog log) throws RelayStartException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              asked.countDown();
              if (!isWithin(config.stopTimeout().toMillis(), ended)) {
                log.say(
                    Level.WARNING,
                    "not everything ended in time; undelivered events wait in their table");
              }
            },
            "relay-stop");
    // Before it starts: it may be asked to stop as soon as it has begun.
    Runtime.getRuntime().addShutdownHook(hook);
    try (Relay relay = Relay.start(config)) {
      asked.await();
      log.say(Level.INFO, "stopping: delivering queued events; all others wait in their table");
      relay.close();
      log.say(Level.INFO, "stopped");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ended.countDown();
    }
  }

  private static boolean isWithin(long millis, CountDownLatch ended) {
    try {
      return ended.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
