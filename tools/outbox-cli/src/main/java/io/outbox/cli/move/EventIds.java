package io.outbox.cli.move;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Event ids from the keys of rows. A UUID or ULID stays as it is, because nothing else has it.
 * Anything else could be the key of a row in another table too: it becomes a UUID that is always
 * the same for the same key, so that importing it again adds nothing.
 */
final class EventIds {

  private static final Pattern UNIQUE =
      Pattern.compile(
          "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}");

  private final String namespace;

  EventIds(String namespace) {
    this.namespace = namespace;
  }

  String of(Object key) {
    if (key instanceof byte[] bytes && bytes.length == 16) {
      return uuid(bytes);
    }
    String text = text(key);
    return UNIQUE.matcher(text).matches() ? text : derived(text);
  }

  static String uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong()).toString();
  }

  /** As a message shows it. */
  static String text(Object key) {
    return key instanceof byte[] bytes
        ? java.util.HexFormat.of().formatHex(bytes)
        : String.valueOf(key).strip();
  }

  /** A UUID of version 8: the beginning of a hash. */
  private String derived(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest((namespace + ":" + text).getBytes(StandardCharsets.UTF_8));
      ByteBuffer buffer = ByteBuffer.wrap(hash);
      long high = buffer.getLong() & ~0xF000L | 0x8000L;
      long low = buffer.getLong() & ~(0xC0L << 56) | 0x80L << 56;
      return new UUID(high, low).toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
