package io.outbox.relay.table;

import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import io.outbox.spi.EventPurger;
import java.nio.file.Path;
import java.util.Optional;

/** Where a purge moves finished events to, if it is to keep them. */
final class ArchiveSettings {

  private static final long MAX_PART_BYTES = 64L * 1024 * 1024;

  private final Target to;
  private Path directory;
  private long maxPartBytes = MAX_PART_BYTES;

  private enum Target {
    NONE,
    TABLE,
    FILES
  }

  ArchiveSettings(Section section) {
    Values values = Values.of(section);
    to = values.choice("to", Target.class, Target.NONE);
    values.text("directory", text -> directory = Path.of(text));
    values.bytes("max-part-size", 1024, bytes -> maxPartBytes = bytes);
    if (to == Target.FILES && directory == null) {
      section.problem("directory", "must be set, as files are to be written");
    }
    section.done();
  }

  boolean isTable() {
    return to == Target.TABLE;
  }

  /** Empty if finished events are deleted. */
  Optional<EventPurger> purger(String tableName) {
    return switch (to) {
      case NONE -> Optional.empty();
      case TABLE -> Optional.of(ArchivingPurger.toTable(tableName));
      case FILES -> Optional.of(ArchivingPurger.toFiles(tableName, directory, maxPartBytes));
    };
  }
}
