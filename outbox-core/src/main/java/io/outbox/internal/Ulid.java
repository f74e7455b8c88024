package io.outbox.internal;

import java.security.SecureRandom;

/** Makes ULIDs: 48 bits of milliseconds, 80 random bits, strictly increasing within this JVM. */
public final class Ulid {

  private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
  private static final long RANDOM_HIGH_MASK = 0xFFFFL;
  private static final SecureRandom RANDOM = new SecureRandom();

  private static long lastMillis = -1;
  private static long randomHigh; // 16 bits
  private static long randomLow; // 64 bits

  private Ulid() {}

  public static String next() {
    return next(System.currentTimeMillis());
  }

  static String next(long millis) {
    long high;
    long low;
    synchronized (Ulid.class) {
      if (millis > lastMillis) {
        lastMillis = millis;
        // The top bit stays clear, so that counting up within a millisecond cannot run out.
        randomHigh = RANDOM.nextLong() & (RANDOM_HIGH_MASK >>> 1);
        randomLow = RANDOM.nextLong();
      } else if (++randomLow == 0 && ++randomHigh > RANDOM_HIGH_MASK) {
        randomHigh = 0;
        lastMillis++;
      }
      high = lastMillis << 16 | randomHigh;
      low = randomLow;
    }
    return encode(high, low);
  }

  private static String encode(long high, long low) {
    char[] text = new char[26];
    for (int i = 25; i >= 0; i--) {
      text[i] = ALPHABET[(int) (low & 31)];
      low = low >>> 5 | high << 59;
      high >>>= 5;
    }
    return new String(text);
  }
}
