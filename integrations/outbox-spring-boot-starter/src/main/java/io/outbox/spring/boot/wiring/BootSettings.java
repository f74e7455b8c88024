package io.outbox.spring.boot.wiring;

import io.outbox.wiring.OutboxConfigurationException;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * What the application says about its brokers in Spring Boot's own properties. Read by name: the
 * classes that Spring Boot binds them to have other places in each version.
 */
public final class BootSettings {

  private final Binder binder;

  public BootSettings(Environment environment) {
    this.binder = Binder.get(environment);
  }

  /** Null if it is not set. */
  public String text(String name) {
    String value = binder.bind(name, String.class).orElse(null);
    return value == null || value.isBlank() ? null : value;
  }

  public <T> T value(String name, Class<T> type, T otherwise) {
    return binder.bind(name, type).orElse(otherwise);
  }

  public List<String> texts(String name) {
    return binder.bind(name, Bindable.listOf(String.class)).orElse(List.of());
  }

  public Map<String, String> map(String name) {
    return binder.bind(name, Bindable.mapOf(String.class, String.class)).orElse(Map.of());
  }

  /** There is nothing to connect to. */
  public static OutboxConfigurationException nowhere(String prefix, String own, String boots) {
    return new OutboxConfigurationException(
        "The property "
            + prefix
            + ".destination is set, but nothing says where the broker is: neither "
            + own
            + " nor "
            + boots
            + ".",
        "Set " + own + ", or " + boots + " if the application uses the same broker elsewhere.");
  }
}
