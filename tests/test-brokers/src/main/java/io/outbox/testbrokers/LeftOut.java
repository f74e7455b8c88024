package io.outbox.testbrokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.opentest4j.TestAbortedException;

/**
 * Tests that cannot run because there is no broker. Each leaves a file in {@code target/left-out},
 * which the build shows at its end; where all brokers are required it is a failure.
 */
final class LeftOut {

  static final String REQUIRED = "OUTBOX_TEST_REQUIRE_BROKERS";

  private LeftOut() {}

  /** Ends a test that has no broker to run on. */
  static RuntimeException because(String broker, String reason) {
    return because(broker, reason, System.getenv(REQUIRED), directory());
  }

  static RuntimeException because(String broker, String reason, String required, Path directory) {
    String line = broker + ": left out, " + reason;
    if (Boolean.parseBoolean(required)) {
      throw new AssertionError(line + "; " + REQUIRED + " is true");
    }
    System.out.println("[LEFT OUT] " + line);
    try {
      Files.createDirectories(directory);
      Files.writeString(file(broker, directory), line + System.lineSeparator());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new TestAbortedException(line);
  }

  /** What an earlier build may have said is no longer true. */
  static void forget(String broker) {
    try {
      Files.deleteIfExists(file(broker, directory()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path file(String broker, Path directory) {
    return directory.resolve(broker.toLowerCase(Locale.ROOT) + ".txt");
  }

  private static Path directory() {
    return Path.of("target", "left-out");
  }
}
