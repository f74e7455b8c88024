package io.outbox.jdbc.internal;

import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.regex.Pattern;

/** Makes texts such that a column can hold them. */
public final class StorableText {

  /** NUL, and halves of surrogate pairs. */
  private static final Pattern UNSTORABLE = Pattern.compile("[\\x00\\p{Cs}]");

  private StorableText() {}

  /** An error, cleaned and cut as outcomes do. */
  public static String error(String error) {
    return new Outcome(EventRef.any(""), EventStatus.DEAD, 0, Instant.EPOCH, error).error();
  }

  /** What a column of this length can hold of a text. */
  public static String cut(String text, int length) {
    if (text == null) {
      return null;
    }
    int end = Math.min(text.length(), length);
    boolean splits = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
    String cut = text.substring(0, splits ? end - 1 : end);
    return UNSTORABLE.matcher(cut).replaceAll("\uFFFD");
  }
}
