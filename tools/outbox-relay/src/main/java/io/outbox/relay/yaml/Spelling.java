package io.outbox.relay.yaml;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Guesses what was meant. */
public final class Spelling {

  private static final int SHORTEST_BEGINNING = 4;

  private Spelling() {}

  /** The word that is most like this one, if any is. */
  public static Optional<String> closest(String word, Collection<String> words) {
    String plain = plain(word);
    return words.stream()
        .filter(other -> isLike(plain, plain(other)))
        .min(Comparator.comparingInt(other -> distance(plain, plain(other))));
  }

  private static boolean isLike(String word, String other) {
    boolean beginsWithIt = word.length() >= SHORTEST_BEGINNING && other.startsWith(word);
    return beginsWithIt || distance(word, other) <= Math.max(1, other.length() / 3);
  }

  /** "did you mean", or which words there are. */
  public static String hint(String word, Collection<String> words) {
    return closest(word, words)
        .map(other -> "did you mean '" + other + "'?")
        .orElseGet(
            () ->
                words.isEmpty()
                    ? "there are none"
                    : "there " + (words.size() == 1 ? "is " : "are ") + String.join(", ", words));
  }

  private static String plain(String word) {
    return word.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "").replace(".", "");
  }

  /** How many characters to add, take away or change. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
