package io.outbox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryClassesTest {

  @TempDir Path checkout;

  @BeforeEach
  void compileTheOtherVersion() throws Exception {
    for (String module : List.of("outbox-core", "outbox-jdbc", "integrations/outbox-gson")) {
      Files.createDirectories(checkout.resolve(module).resolve("target/classes"));
    }
  }

  @Test
  void theOtherVersionReplacesFoldersOfClasses() {
    assertThat(
            replaced(
                "/here/benchmarks/target/classes",
                "/here/outbox-core/target/classes",
                "/here/outbox-jdbc/target/classes",
                "/here/integrations/outbox-gson/target/classes"))
        .containsExactly(
            "/here/benchmarks/target/classes",
            checkout + "/outbox-core/target/classes",
            checkout + "/outbox-jdbc/target/classes",
            checkout + "/integrations/outbox-gson/target/classes");
  }

  @Test
  void theOtherVersionReplacesJars() {
    assertThat(
            replaced(
                "/here/outbox-core/target/outbox-core-0.1.0-SNAPSHOT.jar",
                "/here/tests/test-databases/target/outbox-test-databases-0.1.0-SNAPSHOT.jar"))
        .containsExactly(
            checkout + "/outbox-core/target/classes",
            "/here/tests/test-databases/target/outbox-test-databases-0.1.0-SNAPSHOT.jar");
  }

  private Stream<String> replaced(String... entries) {
    String classPath = String.join(File.pathSeparator, entries);
    return Stream.of(LibraryClasses.ofCheckout(classPath, checkout).split(File.pathSeparator));
  }
}
