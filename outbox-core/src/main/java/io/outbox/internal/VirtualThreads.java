package io.outbox.internal;

import java.util.concurrent.ThreadFactory;

/** Virtual threads, on a Java that has them. By reflection, because this is code for Java 17. */
public final class VirtualThreads {

  private static final int SINCE = 21;

  private VirtualThreads() {}

  /** For builders: says at once what would fail at the start. */
  public static void check(boolean wanted) {
    int feature = Runtime.version().feature();
    if (wanted && feature < SINCE) {
      throw new IllegalStateException(
          "virtualThreads needs Java "
              + SINCE
              + " or later, but this is Java "
              + feature
              + ": run on a newer one, or leave it off and set a higher workerCount");
    }
  }

  /** Makes threads named {@code prefix1}, {@code prefix2}, …; virtual threads are daemons. */
  public static ThreadFactory named(String prefix) {
    check(true);
    try {
      Class<?> builder = Class.forName("java.lang.Thread$Builder");
      Object unnamed = Thread.class.getMethod("ofVirtual").invoke(null);
      Object named =
          builder.getMethod("name", String.class, long.class).invoke(unnamed, prefix, 1L);
      return (ThreadFactory) builder.getMethod("factory").invoke(named);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Java has no Thread.ofVirtual() as it should", e);
    }
  }
}
