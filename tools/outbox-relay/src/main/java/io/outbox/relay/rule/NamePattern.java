package io.outbox.relay.rule;

import java.util.List;

/**
 * Texts of a condition, of which one must fit: {@code *} stands for any characters, {@code ?} for
 * one. A value that is missing fits none.
 */
record NamePattern(List<String> texts) {

  NamePattern {
    texts = List.copyOf(texts);
  }

  boolean fits(String value) {
    return value != null && texts.stream().anyMatch(text -> fits(text, value));
  }

  /** Goes back to the last star only, so that no text takes long. */
  private static boolean fits(String text, String value) {
    int t = 0;
    int v = 0;
    int star = -1;
    int afterStar = 0;
    while (v < value.length()) {
      if (t < text.length() && text.charAt(t) == '*') {
        star = t++;
        afterStar = v;
      } else if (t < text.length() && isOne(text.charAt(t), value.charAt(v))) {
        t++;
        v++;
      } else if (star >= 0) {
        t = star + 1;
        v = ++afterStar;
      } else {
        return false;
      }
    }
    while (t < text.length() && text.charAt(t) == '*') {
      t++;
    }
    return t == text.length();
  }

  private static boolean isOne(char expected, char found) {
    return expected == '?' || expected == found;
  }
}
