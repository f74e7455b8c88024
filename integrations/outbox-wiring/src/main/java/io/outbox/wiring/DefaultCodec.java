package io.outbox.wiring;

import io.outbox.spi.JsonCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the application's codec the default of the JVM while the application runs. When it is
 * closed, the one before it is the default again: tests keep several applications in a JVM, and
 * what was reloaded must not be held. Thread-safe.
 */
public final class DefaultCodec implements AutoCloseable {

  private static final List<JsonCodec> IN_USE = new ArrayList<>();

  private JsonCodec codec;

  /** {@code codec}: null leaves the choice to the class path. */
  public DefaultCodec(JsonCodec codec) {
    this.codec = codec;
    if (codec != null) {
      synchronized (IN_USE) {
        IN_USE.add(codec);
        JsonCodec.setDefault(codec);
      }
    }
  }

  @Override
  public void close() {
    synchronized (IN_USE) {
      if (codec != null) {
        IN_USE.remove(IN_USE.lastIndexOf(codec));
        JsonCodec.setDefault(IN_USE.isEmpty() ? null : IN_USE.get(IN_USE.size() - 1));
        codec = null;
      }
    }
  }
}
