package io.outbox.benchmarks;

import java.util.function.BiConsumer;

/** Options of a command line that each have a value. */
final class OptionPairs {

  private OptionPairs() {}

  /** Ends the program if {@code setter} refuses an option or its value. */
  static void read(String[] args, BiConsumer<String, String> setter) {
    try {
      for (int i = 0; i < args.length; i += 2) {
        setter.accept(args[i], i + 1 < args.length ? args[i + 1] : "");
      }
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
    }
  }
}
