package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outbox.fuzz.FuzzInput;
import io.outbox.jdbc.store.H2OutboxStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A relay's file is read, or refused with all that is wrong with it and where. */
class RelayYamlFuzzTest {

  private static final String SECRET = "s3cr3t-of-the-shop";

  private static final Map<String, String> ENVIRONMENT =
      Map.of("SHOP_PASSWORD", SECRET, "EMPTY", "");

  @FuzzTest
  void isReadOrRefusedWithReasons(byte[] input) throws IOException {
    Path file = Files.createTempFile(Path.of("target"), "relay", ".yaml");
    try {
      Files.write(file, input);
      RelayConfig config = RelayConfig.load(file, ENVIRONMENT::get);
      // what was read is what the builders of an outbox take
      config.tables().forEach(table -> table.builder(new H2OutboxStore()));
      assertThat(config.tables()).isNotEmpty();
      assertThat(config.stopTimeout()).isPositive();
    } catch (RelayConfigException e) {
      assertThat(e.problems()).isNotEmpty();
      // a fuzzer that has guessed it may write it anywhere
      if (!FuzzInput.text(input).contains(SECRET)) {
        assertThat(e.getMessage()).doesNotContain(SECRET);
      }
    } finally {
      Files.delete(file);
    }
  }
}
