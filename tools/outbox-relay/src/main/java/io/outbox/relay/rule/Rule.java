package io.outbox.relay.rule;

import io.outbox.relay.broker.Target;
import io.outbox.relay.yaml.Position;

/**
 * What happens to some events.
 *
 * @param target null unless they are published
 */
public record Rule(String name, Position at, Conditions conditions, Action action, Target target) {

  /** What is done with an event. */
  public enum Action {
    /** It goes to a broker. */
    PUBLISH,
    /** It is done, and goes nowhere. */
    DROP,
    /** It is DEAD, and waits for an operator. */
    DEAD
  }

  /** Where its events go, in a few words. */
  public String outcome() {
    return switch (action) {
      case PUBLISH ->
          target.broker().name() + " " + target.broker().noun() + " " + target.template();
      case DROP -> "nowhere, dropped";
      case DEAD -> "nowhere, DEAD";
    };
  }

  @Override
  public String toString() {
    String which = conditions.toString();
    return name + ": " + (which.isEmpty() ? "all" : which) + " -> " + outcome();
  }
}
