package io.outbox.wiring.listener;

import io.outbox.EventListener;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.policy.ListenerPolicy;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Property;
import io.outbox.wiring.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * The policies of listeners: declared beside them, and from settings, which count before. Not
 * thread-safe.
 */
public final class ListenerPolicies {

  private final String prefix;
  private final Map<String, Settings.Listener> settings;
  private final Set<String> unused;

  /**
   * The policies of these settings.
   *
   * @param prefix of the names of all settings, such as {@code outbox}
   * @param settings by the {@linkplain ListenerAddress#settingNames names} of listeners
   */
  public ListenerPolicies(String prefix, Map<String, Settings.Listener> settings) {
    this.prefix = Objects.requireNonNull(prefix, "prefix") + ".listeners.";
    this.settings = Map.copyOf(Objects.requireNonNull(settings, "settings"));
    this.unused = new TreeSet<>(settings.keySet());
  }

  /** The policies of these settings. */
  public static ListenerPolicies of(Settings settings) {
    return new ListenerPolicies(settings.prefix(), settings.listeners());
  }

  /**
   * The classes of exceptions that a setting names.
   *
   * @param property the setting
   * @throws OutboxConfigurationException if one is not there, or is not of an exception
   */
  public static List<Class<? extends Throwable>> exceptions(
      String property, List<String> names, ClassLoader loader) {
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(loader, "loader");
    List<Class<? extends Throwable>> found = new ArrayList<>();
    for (String name : names) {
      try {
        found.add(Class.forName(name.strip(), false, loader).asSubclass(Throwable.class));
      } catch (ClassNotFoundException | ClassCastException e) {
        throw Property.invalid(
            property,
            new IllegalArgumentException(name.strip() + " is not the class of an exception", e));
      }
    }
    return found;
  }

  /** {@code declared}: null for none. The same listener if nothing is said about it. */
  EventListener around(EventListener listener, ListenerAddress address, ListenerPolicy declared) {
    String name =
        address.settingNames().stream().filter(settings::containsKey).findFirst().orElse(null);
    if (name == null) {
      return declared == null ? listener : declared.around(listener);
    }
    unused.remove(name);
    ListenerPolicy.Builder policy =
        declared == null ? ListenerPolicy.builder() : declared.toBuilder();
    apply(settings.get(name), prefix + name, policy);
    return policy.build().around(listener);
  }

  private static void apply(Settings.Listener from, String name, ListenerPolicy.Builder policy) {
    Property.set(name + ".max-attempts", from.maxAttempts(), policy::maxAttempts);
    Property.set(name + ".max-age", from.maxAge(), policy::maxAge);
    Property.set(name + ".timeout", from.timeout(), policy::timeout);
    Property.set(name + ".concurrency", from.concurrency(), policy::concurrency);
    Property.set(
        name + ".rate-limit",
        from.rateLimit(),
        limit -> policy.rateLimit(limit.events(), limit.period()));
    Property.set(
        name + ".retry",
        from.retry(),
        delays ->
            policy.retryPolicy(
                new ExponentialBackoffRetryPolicy(delays.baseDelayMs(), delays.maxDelayMs())));
    for (Class<? extends Throwable> exception : from.retryNever()) {
      Property.set(name + ".retry-never", exception, type -> policy.retryNever(type));
    }
    for (Class<? extends Throwable> exception : from.retryAlways()) {
      Property.set(name + ".retry-always", exception, type -> policy.retryAlways(type));
    }
  }

  /** Settings for listeners that do not exist are a mistake. */
  void requireAllUsed() {
    if (!unused.isEmpty()) {
      throw new OutboxConfigurationException(
          "The properties "
              + prefix
              + String.join(", " + prefix, unused)
              + " are for no listener with @OutboxListener and for no BoundEventListener.",
          "Name the event type of a listener, its aggregate type and event type as in"
              + " Order/OrderPlaced, or those of a subscription as in Order@@send-mail/OrderPlaced."
              + " Put a ListenerPolicy around listeners that you register yourself.");
    }
  }
}
