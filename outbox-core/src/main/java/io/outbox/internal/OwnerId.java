package io.outbox.internal;

import java.util.Objects;
import java.util.regex.Pattern;

/** Names a process in {@code locked_by}. */
public final class OwnerId {

  private static final int MAX_LENGTH = 128;
  private static final int RANDOM = 10;
  private static final Pattern UNIQUE = Pattern.compile(".{1,117}~[0-9A-Z]{10}", Pattern.DOTALL);

  private OwnerId() {}

  /**
   * Adds a random part to {@code name}; a name that has one already stays as it is. For the parts
   * of one outbox, which share an owner.
   */
  public static String unique(String name) {
    Objects.requireNonNull(name, "ownerId");
    return UNIQUE.matcher(name).matches() ? name : fresh(name);
  }

  /** Adds another random part to {@code name}, so that two outboxes never share an owner. */
  public static String fresh(String name) {
    return checked(name) + "~" + Ulid.next().substring(16);
  }

  /**
   * The name without a random part.
   *
   * @throws IllegalArgumentException if it is blank or too long
   */
  public static String checked(String name) {
    Objects.requireNonNull(name, "ownerId");
    if (name.isBlank()) {
      throw new IllegalArgumentException("ownerId must not be blank");
    }
    String given =
        UNIQUE.matcher(name).matches() ? name.substring(0, name.length() - RANDOM - 1) : name;
    return TextChecks.column("ownerId", given, MAX_LENGTH - RANDOM - 1);
  }

  /** A name made of this machine's name, if it is known, and the process id. */
  public static String ofThisProcess() {
    String host = System.getenv("HOSTNAME");
    String name = host == null || host.isBlank() ? "node" : host.strip();
    return name.substring(0, Math.min(80, name.length())) + "-" + ProcessHandle.current().pid();
  }
}
