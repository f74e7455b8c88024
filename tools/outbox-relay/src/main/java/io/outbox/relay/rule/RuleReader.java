package io.outbox.relay.rule;

import io.outbox.publish.Destination;
import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.Target;
import io.outbox.relay.rule.Rule.Action;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Spelling;
import io.outbox.relay.yaml.Values;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads {@code rules} and {@code default}. */
public final class RuleReader {

  private static final String DEFAULT = "default";

  private final Map<String, Broker> brokers;
  private final Collection<String> brokerNames;
  private final Collection<String> tables;

  /**
   * @param brokers those that could be read
   * @param brokerNames those that are in the file
   */
  public RuleReader(
      Map<String, Broker> brokers, Collection<String> brokerNames, Collection<String> tables) {
    this.brokers = Map.copyOf(brokers);
    this.brokerNames = List.copyOf(brokerNames);
    this.tables = List.copyOf(tables);
  }

  /** Empty if there is a problem. */
  public Optional<Rules> read(Section root) {
    List<Rule> rules = new ArrayList<>();
    Set<String> names = new HashSet<>(Set.of(DEFAULT));
    int number = 0;
    for (Section section : root.items("rules")) {
      number++;
      String name = section.text("name");
      if (name != null && !names.add(name)) {
        section.problem("name", "duplicate rule name");
      }
      Conditions conditions = section.section("when").map(Conditions::read).orElse(Conditions.NONE);
      requireTable(section, conditions);
      rule(name == null ? "rule " + number : name, section, conditions).ifPresent(rules::add);
    }
    Optional<Section> last = root.section(DEFAULT);
    if (last.isEmpty() && !root.has(DEFAULT)) {
      root.problem(
          DEFAULT,
          "'default' is missing: it decides about events that no rule matches, such as"
              + " 'default: {action: dead}'");
    }
    return last.flatMap(section -> rule(DEFAULT, section, Conditions.NONE))
        .map(rule -> new Rules(rules, rule));
  }

  private void requireTable(Section section, Conditions conditions) {
    if (conditions.table() != null && tables.stream().noneMatch(conditions::holdForTable)) {
      section
          .sectionOrEmpty("when")
          .problem(
              "table",
              "unknown table; " + Spelling.hint(conditions.table().texts().get(0), tables));
    }
  }

  private Optional<Rule> rule(String name, Section section, Conditions conditions) {
    Action action = Values.of(section).choice("action", Action.class, Action.PUBLISH);
    Optional<Target> target =
        action == Action.PUBLISH ? target(section) : noTarget(section, action);
    section.done();
    return action == Action.PUBLISH && target.isEmpty()
        ? Optional.empty()
        : Optional.of(new Rule(name, section.at(), conditions, action, target.orElse(null)));
  }

  private static Optional<Target> noTarget(Section section, Action action) {
    for (String key : List.of("broker", "destination", "routing-key")) {
      if (section.has(key)) {
        section.problem(key, "has no effect with action: " + Values.name(action));
      }
    }
    return Optional.empty();
  }

  private Optional<Target> target(Section section) {
    String destination = section.text("destination");
    String routingKey = section.text("routing-key");
    String name =
        section.required("broker", "one of " + brokerNames + ", or 'action: drop' or 'dead'");
    if (name == null) {
      return Optional.empty();
    }
    Broker broker = brokers.get(name);
    if (broker == null) {
      if (!brokerNames.contains(name)) {
        section.problem(
            "broker", "there is no broker '" + name + "'; " + Spelling.hint(name, brokerNames));
      }
      return Optional.empty();
    }
    String template = destination == null ? broker.defaultDestination() : destination;
    if (template == null) {
      section.problem(
          "broker",
          "'destination' is missing: the " + broker.noun() + ", here or at the broker " + name);
      return Optional.empty();
    }
    return target(section, broker, template, routingKey);
  }

  private static Optional<Target> target(
      Section section, Broker broker, String template, String routingKey) {
    if (routingKey != null && !broker.hasRoutingKey()) {
      section.problem("routing-key", "is for RabbitMQ, but " + broker.name() + " is none");
    }
    try {
      Destination key = routingKey == null ? null : Destination.template(routingKey);
      return Optional.of(new Target(broker, template, broker.destination(template), key));
    } catch (IllegalArgumentException e) {
      section.problem(
          routingKey != null && !section.has("destination") ? "routing-key" : "destination",
          e.getMessage());
      return Optional.empty();
    }
  }
}
