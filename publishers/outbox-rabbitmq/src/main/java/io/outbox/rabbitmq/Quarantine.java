package io.outbox.rabbitmq;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is to be published alone. When the broker closes a channel it does not say because of which
 * message; one after the other, on a separate channel, each is judged by its own effect.
 * Thread-safe.
 */
final class Quarantine {

  private static final int MAX_EXCHANGES = 1_000;
  private static final int MAX_EVENTS = 20_000;

  private final Set<String> exchanges = ConcurrentHashMap.newKeySet();
  private final Set<String> eventIds = ConcurrentHashMap.newKeySet();

  /**
   * One of these made the broker close their channel.
   *
   * @param reason the broker's, which names the exchange in quotes if that was the trouble
   */
  void suspect(String reason, Collection<Outgoing> messages) {
    List<String> named =
        messages.stream()
            .map(Outgoing::exchange)
            .distinct()
            .filter(exchange -> !exchange.isEmpty() && reason.contains("'" + exchange + "'"))
            .toList();
    if (named.isEmpty()) {
      keepSmall(eventIds, MAX_EVENTS);
      messages.forEach(message -> eventIds.add(message.eventId()));
    } else {
      keepSmall(exchanges, MAX_EXCHANGES);
      exchanges.addAll(named);
    }
  }

  /** Who is forgotten makes the broker close a channel once more, and is back. */
  private static void keepSmall(Set<String> suspects, int max) {
    if (suspects.size() >= max) {
      suspects.clear();
    }
  }

  boolean holds(Outgoing message) {
    return exchanges.contains(message.exchange()) || eventIds.contains(message.eventId());
  }

  /** The broker took it. */
  void acquit(Outgoing message) {
    exchanges.remove(message.exchange());
    eventIds.remove(message.eventId());
  }

  /** The broker refused it. Its exchange stays under suspicion. */
  void convict(Outgoing message) {
    eventIds.remove(message.eventId());
  }
}
