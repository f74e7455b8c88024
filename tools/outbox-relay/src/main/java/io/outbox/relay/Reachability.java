package io.outbox.relay;

import io.outbox.relay.broker.Broker;
import io.outbox.relay.rule.Rule;
import io.outbox.relay.rule.Rules;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Objects;

/** Looks whether somebody answers where brokers should be, and warns if not. */
final class Reachability {

  private static final Logger LOG = System.getLogger(Reachability.class.getName());
  private static final int TIMEOUT_MILLIS = 3_000;

  private Reachability() {}

  /** On a thread of its own: nobody waits for that. */
  static void check(Rules rules) {
    Thread thread = new Thread(() -> rules.brokers().forEach(broker -> check(broker, rules)));
    thread.setName("relay-reachability");
    thread.setDaemon(true);
    thread.start();
  }

  private static void check(Broker broker, Rules rules) {
    List<String> destinations =
        rules.all().stream()
            .map(Rule::target)
            .filter(Objects::nonNull)
            .filter(target -> target.broker() == broker)
            .map(target -> target.template())
            .toList();
    List<InetSocketAddress> addresses = broker.addresses(destinations);
    if (!addresses.isEmpty() && addresses.stream().noneMatch(Reachability::answers)) {
      LOG.log(
          Level.WARNING,
          () ->
              "broker "
                  + broker.name()
                  + " cannot be reached now ("
                  + broker.place()
                  + "); its events wait in the table until it can");
    }
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
