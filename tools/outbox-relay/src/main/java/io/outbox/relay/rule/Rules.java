package io.outbox.relay.rule;

import io.outbox.EventEnvelope;
import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The rules for one table: the first that fits an event takes it. Immutable. */
public final class Rules {

  private final List<Rule> rules;
  private final Rule last; // takes what is left

  Rules(List<Rule> rules, Rule last) {
    this.rules = List.copyOf(rules);
    this.last = Objects.requireNonNull(last, "last");
  }

  /** Those that can take an event of this table. */
  public Rules ofTable(String table) {
    return new Rules(
        rules.stream().filter(rule -> rule.conditions().holdForTable(table)).toList(), last);
  }

  /** All of them, in order; the last one takes all remaining events. */
  public List<Rule> all() {
    List<Rule> all = new ArrayList<>(rules);
    all.add(last);
    return all;
  }

  /** The rule that takes an event. */
  public Rule of(EventEnvelope event) {
    for (Rule rule : rules) {
      if (rule.conditions().holdFor(event)) {
        return rule;
      }
    }
    return last;
  }

  /** Those that can take an event of these types: one, unless more than the types matter. */
  public List<Rule> ofTypes(String aggregateType, String eventType) {
    List<Rule> candidates = new ArrayList<>();
    for (Rule rule : rules) {
      if (rule.conditions().holdForTypes(aggregateType, eventType)) {
        candidates.add(rule);
        if (rule.conditions().areOfTypesOnly()) {
          return candidates;
        }
      }
    }
    candidates.add(last);
    return candidates;
  }

  /** The brokers that events may go to. */
  public List<Broker> brokers() {
    return all().stream()
        .map(Rule::target)
        .filter(Objects::nonNull)
        .map(Target::broker)
        .distinct()
        .toList();
  }
}
