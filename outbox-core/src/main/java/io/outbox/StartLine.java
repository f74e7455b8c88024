package io.outbox;

import io.outbox.internal.AsyncListener;
import io.outbox.internal.PolicedListener;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.subscribe.SubscribedListener;
import io.outbox.publish.Addressed;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/** What an outbox says of itself when it starts, in one line. */
final class StartLine {

  private static final int MAX_NAMES = 10;

  private StartLine() {}

  static String of(String mode, OutboxSettings settings) {
    return "outbox started: "
        + mode
        + ", "
        + settings.outboxStore
        + listeners(settings.listenerRegistry)
        + version();
  }

  private static String listeners(ListenerRegistry registry) {
    if (registry == null) {
      return ""; // it only writes
    }
    Map<String, EventListener> registered = registry.registered();
    if (registered.isEmpty()) {
      return registry instanceof DefaultListenerRegistry
          ? ", no listeners"
          : ", listeners of " + registry.getClass().getName();
    }
    List<String> publishers =
        registered.values().stream()
            .map(PolicedListener::plain)
            .map(AsyncListener::plain)
            .map(
                listener ->
                    listener instanceof SubscribedListener subscribed
                        ? subscribed.listener()
                        : listener)
            .filter(Addressed.class::isInstance)
            .map(publisher -> publisher.getClass().getSimpleName())
            .distinct()
            .toList();
    return ", listeners for "
        + registered.keySet().stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
        + (registered.size() > MAX_NAMES ? " and " + (registered.size() - MAX_NAMES) + " more" : "")
        + (publishers.isEmpty() ? "" : ", publishers " + String.join(", ", publishers));
  }

  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = StartLine.class.getResourceAsStream("version.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      properties.clear(); // a line in the log is not worth a start
    }
    String version = properties.getProperty("version");
    return version == null ? "" : ", version " + version;
  }
}
