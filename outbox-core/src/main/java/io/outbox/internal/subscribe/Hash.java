package io.outbox.internal.subscribe;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Stands for a text that is too long for its place. */
final class Hash {

  private static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private Hash() {}

  /** The same for the same text, on every node and in every version. */
  static String of(String text, int length) {
    byte[] digest = sha256(text.getBytes(StandardCharsets.UTF_8));
    StringBuilder hash = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      int bit = i * 5;
      int pair = (digest[bit / 8] & 0xff) << 8 | digest[bit / 8 + 1] & 0xff;
      hash.append(DIGITS.charAt(pair >> (11 - bit % 8) & 31));
    }
    return hash.toString();
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
