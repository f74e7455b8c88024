package io.outbox.quarkus.runtime;

import io.outbox.wiring.OutboxConfigurationException;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Refusals of settings as Quarkus shows them: without a stack trace, and with their keys. */
final class Refusals {

  private static final Pattern KEY = Pattern.compile("quarkus\\.outbox(\\.[a-z]+(-[a-z]+)*)+");

  private Refusals() {}

  static <T> T translated(Supplier<T> work) {
    try {
      return work.get();
    } catch (OutboxConfigurationException e) {
      throw translated(e);
    }
  }

  static ConfigurationException translated(OutboxConfigurationException e) {
    Set<String> keys = keys(e.problem());
    return new ConfigurationException(e.getMessage(), e, keys.isEmpty() ? keys(e.action()) : keys);
  }

  private static Set<String> keys(String text) {
    return KEY.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }
}
