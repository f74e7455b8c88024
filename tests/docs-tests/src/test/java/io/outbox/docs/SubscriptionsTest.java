package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.Subscriptions;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several independent listeners for one event. */
class SubscriptionsTest extends DocsDatabase {

  private final RecordingListener mails = new RecordingListener();
  private final RecordingListener webhooks = new RecordingListener();

  @Test
  void everySubscriptionGetsEveryEvent() throws Exception {
    // snippet: subscribe
    listeners.subscribe("Order", "OrderPlaced", "send-mail", mails);
    listeners.subscribe("Order", "OrderPlaced", "webhook", webhooks);
    // end

    try (Outbox outbox = singleNode().build()) {
      transactions.run(
          transaction ->
              outbox
                  .writer()
                  .write(
                      EventEnvelope.builder("OrderPlaced")
                          .aggregateType("Order")
                          .aggregateId("A-1")
                          .payloadJson("{}")
                          .build()));
      awaitEvents(EventStatus.DONE, 3);
    }
    assertThat(mails.count()).isOne();
    assertThat(webhooks.count()).isOne();

    // snippet: subscriptions-operate
    OutboxOperator operator = OutboxOperator.of(connectionProvider, store);
    operator.pause("Order@@webhook", null, "the partner moves"); // the others continue
    operator.perform(
        new OperatorAction.Replay(),
        EventFilter.builder().status(EventStatus.DEAD).aggregateType("Order@@webhook").build());
    // end

    // snippet: subscriptions-manage
    Subscriptions subscriptions = Subscriptions.of(connectionProvider, store);
    List<Subscription> all = subscriptions.list();
    EventRoute route = new EventRoute("Order", "OrderPlaced");
    subscriptions.deliverFrom(route, "webhook", Instant.now().minus(Duration.ofDays(7)));
    subscriptions.end(route, "webhook", "the partner is gone");
    // end

    assertThat(all).extracting(Subscription::copyType).contains("Order@@send-mail");
    assertThat(subscriptions.list().stream().filter(Subscription::isActive)).hasSize(1);
  }
}
