package io.outbox.inbox;

import java.util.Objects;

/** An event as a consumer remembers it, checked for what can be stored. */
record InboxEntry(String eventId, String consumer) {

  static final int MAX_EVENT_ID = 255;
  private static final int MAX_CONSUMER = 128;

  InboxEntry {
    check("the event id", eventId, MAX_EVENT_ID);
    check("the consumer", consumer, MAX_CONSUMER);
  }

  static void check(String what, String text, int maxLength) {
    Objects.requireNonNull(text, () -> what + " must not be null");
    if (text.isBlank()) {
      throw new IllegalArgumentException(what + " must not be empty");
    }
    if (text.length() > maxLength) {
      throw new IllegalArgumentException(
          what + " has " + text.length() + " characters, at most " + maxLength + " can be stored");
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + " contains a NUL character; it cannot be stored");
    }
    if (text.codePoints()
        .anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
      throw new IllegalArgumentException(what + " has half a surrogate pair; it cannot be stored");
    }
  }

  @Override
  public String toString() {
    return "event " + eventId + " for consumer " + consumer;
  }
}
