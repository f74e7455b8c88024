package io.outbox.jdbc.archive;

import io.outbox.model.OutboxEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Events along a walk that match. */
record FilePages(FileWalk walk, Predicate<OutboxEvent> match, boolean payloads)
    implements ArchiveReader.Pages {

  static final int SCAN_LIMIT = 20_000;

  @Override
  public ArchiveReader.Page next(int limit) {
    List<OutboxEvent> found = new ArrayList<>();
    int scanned = 0;
    while (found.size() < limit && scanned < SCAN_LIMIT) {
      if (!walk.next()) {
        return new ArchiveReader.Page(found, null, scanned, false);
      }
      scanned++;
      OutboxEvent event = walk.event(payloads);
      if (match.test(event)) {
        found.add(event);
      }
    }
    return new ArchiveReader.Page(found, walk.place(), scanned, found.size() < limit);
  }

  @Override
  public void close() {
    walk.close();
  }
}
