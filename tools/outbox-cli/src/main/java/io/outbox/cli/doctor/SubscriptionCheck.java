package io.outbox.cli.doctor;

import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import java.util.List;

/** Whether events can have several listeners, and how many subscriptions there are. */
final class SubscriptionCheck implements Check {

  @Override
  public String name() {
    return "subscriptions";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    SubscriptionStore store = examination.session().store().subscriptions().orElseThrow();
    if (!store.isInstalled(examination.connection())) {
      return List.of(
          Finding.ok(
              name(),
              "there is no table of them, so each event has one listener; outbox schema migrate"
                  + " adds it"));
    }
    List<Subscription> all = store.list(examination.connection());
    long active = all.stream().filter(Subscription::isActive).count();
    return List.of(Finding.ok(name(), active + " active, " + (all.size() - active) + " ended"));
  }
}
