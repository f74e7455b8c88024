package io.outbox.internal;

import java.util.Objects;
import java.util.regex.Pattern;

/** Names a process in {@code locked_by}. */
public final class OwnerId {

  private static final int MAX_LENGTH = 128;
  private static final Pattern UNIQUE = Pattern.compile(".{1,117}~[0-9A-Z]{10}", Pattern.DOTALL);

  private OwnerId() {}

  /**
   * Adds a random part to {@code name}, so that two outboxes never share an owner; a name that has
   * one already stays as it is.
   */
  public static String unique(String name) {
    Objects.requireNonNull(name, "ownerId");
    if (name.isBlank()) {
      throw new IllegalArgumentException("ownerId must not be blank");
    }
    if (UNIQUE.matcher(name).matches()) {
      return name;
    }
    String random = Ulid.next().substring(16);
    return TextChecks.column("ownerId", name, MAX_LENGTH - random.length() - 1) + "~" + random;
  }

  /** A name made of this machine's name, if it is known, and the process id. */
  public static String ofThisProcess() {
    String host = System.getenv("HOSTNAME");
    String name = host == null || host.isBlank() ? "node" : host.strip();
    return name.substring(0, Math.min(80, name.length())) + "-" + ProcessHandle.current().pid();
  }
}
