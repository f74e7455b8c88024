package io.outbox.util;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Stands for an exception in a log: with its stack trace and its causes, but a harmless text.
 *
 * <p>An exception without anything to hide is logged as it is.
 */
final class PrintableThrowable extends Throwable {
  private static final long serialVersionUID = 1L;

  /** Chains that are longer are cut. */
  private static final int MAX_DEPTH = 32;

  private final String text;

  private PrintableThrowable(Throwable original, int depth, Set<Throwable> seen) {
    super(Printable.line(textOf(original)));
    text = getMessage();
    setStackTrace(original.getStackTrace());
    Throwable cause = original.getCause();
    if (cause != null && depth < MAX_DEPTH && seen.add(cause)) {
      initCause(new PrintableThrowable(cause, depth + 1, seen));
    }
    for (Throwable suppressed : original.getSuppressed()) {
      if (depth < MAX_DEPTH && seen.add(suppressed)) {
        addSuppressed(new PrintableThrowable(suppressed, depth + 1, seen));
      }
    }
  }

  /** The same exception, or a substitute; null for null. */
  static Throwable of(Throwable thrown) {
    return thrown == null || isHarmless(thrown, 0, identities())
        ? thrown
        : new PrintableThrowable(thrown, 0, identities());
  }

  private static Set<Throwable> identities() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private static boolean isHarmless(Throwable thrown, int depth, Set<Throwable> seen) {
    if (thrown == null || !seen.add(thrown)) {
      return true;
    }
    if (depth > MAX_DEPTH || !Printable.isHarmless(textOf(thrown))) {
      return false;
    }
    for (Throwable suppressed : thrown.getSuppressed()) {
      if (!isHarmless(suppressed, depth + 1, seen)) {
        return false;
      }
    }
    return isHarmless(thrown.getCause(), depth + 1, seen);
  }

  /** As a stack trace would begin. */
  private static String textOf(Throwable thrown) {
    try {
      return thrown.toString();
    } catch (RuntimeException e) {
      return thrown.getClass().getName();
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
