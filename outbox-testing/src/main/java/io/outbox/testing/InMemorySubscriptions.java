package io.outbox.testing;

import io.outbox.model.EventRoute;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Subscriptions in memory; they take no part in transactions. Thread-safe. */
final class InMemorySubscriptions implements SubscriptionStore {

  private final List<Subscription> all = new ArrayList<>();

  @Override
  public boolean isInstalled(Connection conn) {
    return true;
  }

  @Override
  public String howToInstall() {
    return "It is always there";
  }

  @Override
  public synchronized List<Subscription> list(Connection conn) {
    return all.stream()
        .sorted(
            Comparator.comparing((Subscription one) -> one.route().toString())
                .thenComparing(Subscription::name))
        .toList();
  }

  @Override
  public List<Subscription> active(Connection conn) {
    return list(conn).stream().filter(Subscription::isActive).toList();
  }

  @Override
  public synchronized boolean add(Connection conn, EventRoute route, String name, Instant since) {
    if (all.stream().anyMatch(same(route, name))) {
      return false;
    }
    if (all.size() >= MOST) {
      throw new IllegalStateException("there are " + MOST + " subscriptions, which is the most");
    }
    return all.add(new Subscription(route, name, since, null));
  }

  @Override
  public boolean end(Connection conn, EventRoute route, String name, Instant until) {
    return change(route, name, Subscription::isActive, until);
  }

  @Override
  public boolean resume(Connection conn, EventRoute route, String name, Instant since) {
    return change(route, name, one -> !one.isActive(), null);
  }

  private synchronized boolean change(
      EventRoute route, String name, Predicate<Subscription> from, Instant until) {
    boolean[] changed = {false};
    all.replaceAll(
        one -> {
          if (!same(route, name).and(from).test(one)) {
            return one;
          }
          changed[0] = true;
          return new Subscription(route, name, one.since(), until);
        });
    return changed[0];
  }

  private static Predicate<Subscription> same(EventRoute route, String name) {
    return one -> one.route().equals(route) && one.name().equals(name);
  }
}
