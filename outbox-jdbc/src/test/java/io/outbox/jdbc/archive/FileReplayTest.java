package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReplayTest {

  private static final Instant AT = Instant.parse("2026-03-01T10:00:00Z");

  @TempDir Path directory;

  @BeforeEach
  void writeMoreThanOnePassLooksAtInAPage() throws IOException {
    Path day = Files.createDirectories(directory.resolve("2026-03-01"));
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(day.resolve("outbox_event-all.jsonl.gz")))) {
      for (int i = 0; i <= FilePages.SCAN_LIMIT; i++) {
        out.write((line(i) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static String line(int number) {
    OutboxEvent event =
        OutboxEvent.builder("e" + number, "OrderPlaced")
            .payloadJson("{}")
            .status(EventStatus.DONE)
            .availableAt(AT)
            .createdAt(AT)
            .seq(number)
            .build();
    return EventLine.write(event, AT);
  }

  private ArchiveReader.Pages replay(String after) {
    return new FileReader(directory, TableName.of("outbox_event"))
        .forReplay(null, EventFilter.ALL, after);
  }

  @Test
  void theFirstPassCanBeStoppedAndContinuesFromTheBeginning() {
    String stopped;
    try (ArchiveReader.Pages pages = replay(null)) {
      ArchiveReader.Page page = pages.next(10);
      assertThat(page.events()).isEmpty();
      stopped = page.next();
      assertThat(pages.next(10).events().get(0).eventId()).isEqualTo("e0");
      assertThat(pages.next(10).events().get(0).eventId()).isEqualTo("e10");
    }
    try (ArchiveReader.Pages pages = replay(stopped)) {
      pages.next(10);
      assertThat(pages.next(10).events().get(0).eventId()).isEqualTo("e0");
    }
  }

  @Test
  void aPlaceInATableIsRefused() {
    String place = ArchiveReader.cursor(AT.toString(), "17");

    assertThatThrownBy(() -> replay(place))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(place);
  }
}
