package io.outbox.spi;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the default {@link JsonCodec} when it is first needed, and keeps it. */
final class JsonCodecHolder {

  private static volatile JsonCodec override;
  private static volatile JsonCodec found;

  private JsonCodecHolder() {}

  static JsonCodec get() {
    JsonCodec codec = override;
    if (codec != null) {
      return codec;
    }
    codec = found;
    if (codec == null) {
      codec = find();
      found = codec;
    }
    return codec;
  }

  static void set(JsonCodec codec) {
    override = codec;
  }

  private static JsonCodec find() {
    JsonCodec codec = first(Thread.currentThread().getContextClassLoader());
    if (codec == null) {
      codec = first(JsonCodec.class.getClassLoader());
    }
    if (codec == null) {
      throw new IllegalStateException(
          "no JsonCodec found: headers and payload objects need one. Add outbox-gson to the class"
              + " path, or call JsonCodec.setDefault(...)");
    }
    return codec;
  }

  private static JsonCodec first(ClassLoader loader) {
    try {
      return loader == null
          ? null
          : ServiceLoader.load(JsonCodec.class, loader).findFirst().orElse(null);
    } catch (ServiceConfigurationError e) {
      throw new IllegalStateException("a registered JsonCodec cannot be loaded: " + e, e);
    }
  }
}
