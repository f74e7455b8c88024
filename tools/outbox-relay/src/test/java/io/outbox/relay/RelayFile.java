package io.outbox.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/** A configuration of a test. */
final class RelayFile {

  static {
    Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine fails no test
  }

  static final String NAME = "relay.yaml";

  private RelayFile() {}

  static Path write(Path directory, String text) {
    try {
      return Files.writeString(directory.resolve(NAME), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RelayConfig load(Path directory, String text) throws RelayConfigException {
    return load(directory, text, Map.of());
  }

  static RelayConfig load(Path directory, String text, Map<String, String> environment)
      throws RelayConfigException {
    return RelayConfig.load(write(directory, text), environment::get);
  }
}
