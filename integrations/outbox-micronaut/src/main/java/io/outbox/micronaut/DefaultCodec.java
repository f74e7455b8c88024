package io.outbox.micronaut;

import io.outbox.spi.JsonCodec;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the application's {@link JsonCodec} bean, if there is one, the default of the JVM while the
 * application runs. When it is closed, the one before it is the default again: tests keep several
 * applications in a JVM.
 */
@Singleton
final class DefaultCodec {

  private static final List<JsonCodec> IN_USE = new ArrayList<>();

  /** Null leaves the choice to the class path. */
  private final JsonCodec codec;

  DefaultCodec(ChosenBeans beans) {
    codec = beans.find(JsonCodec.class).orElse(null);
    if (codec != null) {
      synchronized (IN_USE) {
        IN_USE.add(codec);
        JsonCodec.setDefault(codec);
      }
    }
  }

  @PreDestroy
  void close() {
    if (codec != null) {
      synchronized (IN_USE) {
        IN_USE.remove(IN_USE.lastIndexOf(codec));
        JsonCodec.setDefault(IN_USE.isEmpty() ? null : IN_USE.get(IN_USE.size() - 1));
      }
    }
  }
}
