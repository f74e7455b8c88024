package io.outbox.quarkus.runtime;

import io.outbox.spi.JsonCodec;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the application's codec the default of the JVM until the last bean is gone: events may be
 * written while the application stops. Then the one before it is the default again, as tests and
 * dev mode keep several applications in a JVM.
 */
@Singleton
public class DefaultCodec {

  private static final List<JsonCodec> IN_USE = new ArrayList<>();

  private final JsonCodec codec;

  DefaultCodec(JsonCodec codec) {
    this.codec = codec;
    synchronized (IN_USE) {
      IN_USE.add(codec);
      JsonCodec.setDefault(codec);
    }
  }

  @PreDestroy
  void close() {
    synchronized (IN_USE) {
      IN_USE.remove(IN_USE.lastIndexOf(codec));
      JsonCodec.setDefault(IN_USE.isEmpty() ? null : IN_USE.get(IN_USE.size() - 1));
    }
  }
}
