package io.outbox.jdbc.archive;

import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Reads archived events, page by page. */
interface ArchiveReader {

  /**
   * Events that match, the newest first, without payloads.
   *
   * @param archive for a connection: files are read without one
   * @param after the {@code next} of the last page, or null for the first
   * @throws IllegalArgumentException if {@code after} is not from an earlier page
   */
  Page read(EventArchive archive, EventFilter filter, String after, int limit);

  /**
   * Events that match in their latest life, the oldest first, with payloads.
   *
   * @param archive for connections: a page is read in its own transaction, or in none
   * @param after the {@code next} of the last page of an earlier replay, or null
   * @throws IllegalArgumentException if {@code after} is not from an earlier replay
   */
  Pages forReplay(EventArchive archive, EventFilter filter, String after);

  /** One page after the other. Not thread-safe. */
  @FunctionalInterface
  interface Pages extends AutoCloseable {

    /** A page may be empty though it is not the last one. */
    Page next(int limit);

    @Override
    default void close() {}
  }

  /** The whole event with this id, from its latest life. */
  Optional<OutboxEvent> find(EventArchive archive, String eventId);

  /** Whether there is an archive to read. */
  boolean exists(Connection conn);

  /**
   * Some of the events that match.
   *
   * @param next where the next page begins; null if there are no more events
   * @param scanned how many events were looked at
   * @param scanLimited whether looking ended because of the limit of events to look at
   */
  record Page(List<OutboxEvent> events, String next, int scanned, boolean scanLimited) {}

  /** A place, as text that a shell and a URL take as it is. */
  static String cursor(String place, String detail) {
    byte[] text = (place + "\n" + detail).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
  }

  /** Place and detail of a cursor. */
  static String[] placeOf(String cursor) {
    try {
      byte[] text = Base64.getUrlDecoder().decode(cursor);
      String[] parts = new String(text, StandardCharsets.UTF_8).split("\n", -1);
      if (parts.length == 2) {
        return parts;
      }
    } catch (IllegalArgumentException e) {
      throw unknown(cursor, e);
    }
    throw unknown(cursor, null);
  }

  static IllegalArgumentException unknown(String cursor, Exception cause) {
    return new IllegalArgumentException(
        "'" + cursor + "' is not from a page of this archive; begin without it", cause);
  }
}
