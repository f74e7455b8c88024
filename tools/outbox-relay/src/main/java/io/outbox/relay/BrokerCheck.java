package io.outbox.relay;

import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.Target;
import io.outbox.relay.rule.Rule;
import io.outbox.relay.rule.Rules;
import io.outbox.util.PrintableLogger;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Looks whether brokers are there, and their destinations; says what is missing. */
final class BrokerCheck {

  private static final Logger LOG = PrintableLogger.of(BrokerCheck.class);
  private static final int TIMEOUT_MILLIS = 3_000;

  private BrokerCheck() {}

  /** Warns of missing destinations, on its own thread: nobody waits for that. */
  static void start(Rules rules) {
    Thread thread = new Thread(() -> rules.brokers().forEach(broker -> warn(broker, rules)));
    thread.setName("relay-broker-check");
    thread.setDaemon(true);
    thread.start();
  }

  private static void warn(Broker broker, Rules rules) {
    for (String problem : problems(broker, rules, List.of())) {
      LOG.log(Level.WARNING, () -> "broker " + broker.name() + " " + problem);
    }
  }

  /**
   * What is wrong with a broker now, as the end of a sentence; empty if nothing is known to be.
   *
   * @param more destinations beside those that the rules name without values of an event
   */
  static List<String> problems(Broker broker, Rules rules, Collection<String> more) {
    List<String> templates = templates(broker, rules);
    List<InetSocketAddress> addresses = broker.addresses(templates);
    if (!addresses.isEmpty() && addresses.stream().noneMatch(BrokerCheck::answers)) {
      return List.of(
          "cannot be reached now ("
              + broker.place()
              + "); its events wait in the table until it can");
    }
    Set<String> destinations = new LinkedHashSet<>(more);
    templates.stream().filter(template -> !template.contains("{")).forEach(destinations::add);
    if (destinations.isEmpty()) {
      return List.of();
    }
    try {
      return broker.missing(destinations).stream()
          .map(
              missing ->
                  "misses "
                      + broker.noun()
                      + " "
                      + missing
                      + "; events for it wait in the table until it exists")
          .toList();
    } catch (Exception | LinkageError e) {
      LOG.log(Level.DEBUG, () -> "broker " + broker.name() + " cannot be asked", e);
      return List.of("cannot list its destinations now: " + Failures.reason(e));
    }
  }

  private static List<String> templates(Broker broker, Rules rules) {
    Stream<String> ofRules =
        rules.all().stream()
            .map(Rule::target)
            .filter(Objects::nonNull)
            .filter(target -> target.broker() == broker)
            .map(Target::template);
    List<String> templates = new ArrayList<>(ofRules.toList());
    if (broker.deadLetterDestination() != null) {
      templates.add(broker.deadLetterDestination());
    }
    return templates;
  }

  private static boolean answers(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()), TIMEOUT_MILLIS);
      return true;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, () -> address + " does not answer: " + e);
      return false;
    }
  }
}
