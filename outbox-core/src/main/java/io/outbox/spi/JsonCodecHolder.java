package io.outbox.spi;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
    List<ServiceConfigurationError> passedOver = new ArrayList<>();
    JsonCodec codec = first(Thread.currentThread().getContextClassLoader(), passedOver);
    if (codec == null) {
      codec = first(JsonCodec.class.getClassLoader(), passedOver);
    }
    if (codec == null && !passedOver.isEmpty()) {
      throw cannotBeLoaded(passedOver.get(0));
    }
    if (codec == null) {
      throw new IllegalStateException(
          "no JsonCodec found: headers and payload objects need one. Add outbox-gson,"
              + " outbox-jackson2 or outbox-jackson3 to the class path, or call"
              + " JsonCodec.setDefault(...)");
    }
    return codec;
  }

  /** The first whose library is there: Spring applications have codecs for several. */
  private static JsonCodec first(ClassLoader loader, List<ServiceConfigurationError> passedOver) {
    if (loader == null) {
      return null;
    }
    Iterator<JsonCodec> codecs = ServiceLoader.load(JsonCodec.class, loader).iterator();
    while (true) {
      try {
        return codecs.hasNext() ? codecs.next() : null;
      } catch (ServiceConfigurationError e) {
        if (!(e.getCause() instanceof NoClassDefFoundError)) {
          throw cannotBeLoaded(e);
        }
        passedOver.add(e);
      }
    }
  }

  private static IllegalStateException cannotBeLoaded(ServiceConfigurationError e) {
    return new IllegalStateException("a registered JsonCodec cannot be loaded: " + e, e);
  }
}
