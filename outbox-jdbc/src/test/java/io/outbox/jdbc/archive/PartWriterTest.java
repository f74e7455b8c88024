package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.outbox.jdbc.internal.TableName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartWriterTest {

  @TempDir Path directory;

  @Test
  void aDayThatCannotBeReadDoesNotStopThePurge() throws Exception {
    PartWriter writer = new PartWriter(directory, TableName.of("outbox_event"), 1024);
    Path noDirectory = Files.writeString(directory.resolve("2026-03-01"), "");

    assertThatCode(() -> writer.removeAbandoned(noDirectory, Instant.now()))
        .doesNotThrowAnyException();
    assertThatCode(() -> writer.removeAbandoned(directory.resolve("gone"), Instant.now()))
        .doesNotThrowAnyException();
  }
}
