package io.outbox.jdbc.archive;

import io.outbox.operate.EventFilter;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Ties the cursors of a replay to its table and filter: with other ones it would skip events
 * silently.
 */
record ReplayMark(String text) {

  private static final Pattern MARKED = Pattern.compile("[0-9a-f]{8}~.*");

  /** The same in every process. */
  static ReplayMark of(String table, EventFilter filter) {
    CRC32 sum = new CRC32();
    sum.update((table + "\n" + filter).getBytes(StandardCharsets.UTF_8));
    return new ReplayMark(HexFormat.of().toHexDigits(sum.getValue(), 8) + "~");
  }

  ArchiveReader.Page addTo(ArchiveReader.Page page) {
    String next = page.next() == null ? null : text + page.next();
    return new ArchiveReader.Page(page.events(), next, page.scanned(), page.scanLimited());
  }

  /** The place in the archive; null stays null. */
  String removeFrom(String cursor) {
    if (cursor == null) {
      return null;
    } else if (!MARKED.matcher(cursor).matches()) {
      throw new IllegalArgumentException(
          "'" + cursor + "' is not from a replay of this archive; begin without it");
    } else if (!cursor.startsWith(text)) {
      throw new IllegalArgumentException(
          "'%s' is from a replay with another filter or of another table; repeat it with the same filter, with fixed times, or begin without it"
              .formatted(cursor));
    }
    return cursor.substring(text.length());
  }
}
