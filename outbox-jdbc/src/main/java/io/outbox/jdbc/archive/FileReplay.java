package io.outbox.jdbc.archive;

import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.util.List;

/**
 * Events for a replay, each from its latest life, in two passes: the first one finds out which
 * lives are the latest. Leaves out files that came after its beginning, or that of the replay that
 * it continues: they may have events that were replayed by it. Not thread-safe.
 */
final class FileReplay implements ArchiveReader.Pages {

  /** Every line with the field has it, and few others: quotes in texts are escaped. */
  private static final String REPLAYED = "\"replayed_at\"";

  /** In a cursor, between the place and the last part; not in the alphabet of a place. */
  private static final char BOUND = '.';

  private static final String BEGINNING = ArchiveReader.cursor("", "0");

  private final FileWalk first;
  private final FileWalk second;
  private final FilterMatch match;
  private final String start;
  private final LatestLives latest = new LatestLives(LatestLives.MOST);
  private final FilePages pages;
  private final String givenBound; // null: a new replay
  private String lastPart = ""; // before all others
  private boolean learned;

  /** Both walks begin with the oldest. */
  FileReplay(FileWalk first, FileWalk second, EventFilter filter, String after) {
    this.first = first;
    int end = after == null ? -1 : after.indexOf(BOUND);
    if (after != null && end < 0 && !after.equals(BEGINNING)) {
      throw ArchiveReader.unknown(after, null); // of a table
    }
    this.givenBound = end < 0 ? null : ArchiveReader.placeOf(after.substring(end + 1))[0];
    this.second = second.after(end < 0 ? after : after.substring(0, end));
    this.match = new FilterMatch(filter);
    this.start = after == null ? BEGINNING : after;
    this.pages = new FilePages(second, event -> match.test(event) && latest.has(event), true);
  }

  /** Pages of the first pass are empty, so that it can be stopped. */
  @Override
  public ArchiveReader.Page next(int limit) {
    if (!learned) {
      learned = learn();
      if (!learned) {
        return new ArchiveReader.Page(List.of(), start, 0, true);
      }
      second.until(bound());
    }
    ArchiveReader.Page page = pages.next(limit);
    if (page.next() == null) {
      return page;
    }
    String next = page.next() + BOUND + ArchiveReader.cursor(bound(), "");
    return new ArchiveReader.Page(page.events(), next, page.scanned(), page.scanLimited());
  }

  private String bound() {
    return givenBound == null ? lastPart : givenBound;
  }

  /** Looks at some lines; whether these were the last. */
  private boolean learn() {
    for (int i = 0; i < FilePages.SCAN_LIMIT; i++) {
      if (!first.next()) {
        return true;
      }
      lastPart = first.part();
      if (first.line().contains(REPLAYED)) {
        OutboxEvent event = first.event(false);
        if (match.mayMatchInAnotherLife(event)) {
          latest.add(event);
        }
      }
    }
    return false;
  }

  @Override
  public void close() {
    first.close();
    second.close();
  }
}
