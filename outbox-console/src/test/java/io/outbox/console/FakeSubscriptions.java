package io.outbox.console;

import io.outbox.model.EventRoute;
import io.outbox.spi.CopyCounts;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Subscriptions that are what a test says. */
final class FakeSubscriptions implements SubscriptionStore {

  final List<Subscription> all = new ArrayList<>();
  volatile CopyCounts counts = CopyCounts.UNKNOWN;

  @Override
  public boolean isInstalled(Connection conn) {
    return true;
  }

  @Override
  public String howToInstall() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Subscription> list(Connection conn) {
    return List.copyOf(all);
  }

  @Override
  public List<Subscription> active(Connection conn) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CopyCounts countCopies(Connection conn, int scanLimit) {
    return counts;
  }

  @Override
  public boolean add(Connection conn, EventRoute route, String name, Instant since) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean end(Connection conn, EventRoute route, String name, Instant until) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean resume(Connection conn, EventRoute route, String name, Instant since) {
    throw new UnsupportedOperationException();
  }
}
