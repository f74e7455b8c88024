package io.outbox.fuzz;

import java.nio.charset.StandardCharsets;

/** Text from the bytes of a fuzzer; its files are text that people can read and write. */
public final class FuzzInput {

  /** UTF-8 has no half of a surrogate pair; this character of private use stands for one. */
  private static final char HALF_PAIR = '\uE000';

  private FuzzInput() {}

  public static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8).replace(HALF_PAIR, '\uD800');
  }
}
