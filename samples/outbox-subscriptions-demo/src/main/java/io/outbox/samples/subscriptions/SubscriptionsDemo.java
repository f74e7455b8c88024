package io.outbox.samples.subscriptions;

import io.outbox.kafka.KafkaPublisher;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.PrintStream;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells how one event reaches mail, Kafka and a webhook, of which two have trouble. Ends by itself,
 * and fails if what it tells is not so.
 */
public final class SubscriptionsDemo {

  private static final int ORDERS = 200;

  /** The library logs what the story tells itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private final PrintStream out;

  private SubscriptionsDemo(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    try {
      tell(System.out);
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0); // the broker's threads would keep the JVM
  }

  static void tell(PrintStream out) throws Exception {
    new SubscriptionsDemo(out).tell();
  }

  private void tell() throws Exception {
    heading("One event, three listeners: mail, Kafka and a webhook, all in this JVM");
    Mail mail = new Mail();
    try (Topic topic = Topic.create();
        KafkaPublisher kafka =
            KafkaPublisher.builder()
                .bootstrapServers(topic.bootstrapServers())
                .destination(topic.name())
                .build();
        Webhook webhook = new Webhook();
        Shop shop =
            new Shop(
                new DefaultListenerRegistry()
                    .subscribe("Order", "OrderPlaced", "send-mail", mail)
                    .subscribeAsync("Order", "OrderPlaced", "kafka", kafka)
                    .subscribe("Order", "OrderPlaced", "webhook", webhook))) {
      for (int i = 1; i <= ORDERS; i++) {
        shop.place("A-" + i);
      }
      fact("placed", "%,d orders, each with one event", ORDERS);
      goTheirWays(shop, topic, mail, webhook);
      repair(shop, topic, mail, webhook);
    }
  }

  private void goTheirWays(Shop shop, Topic topic, Mail mail, Webhook webhook) throws Exception {
    heading("1. Each subscription gets a copy of every event and goes its own way");
    shop.await("kafka", EventStatus.DONE, ORDERS);
    check("messages in Kafka", ORDERS, topic.messages());
    fact("kafka", "%,d messages, at once", topic.messages());
    shop.await("send-mail", EventStatus.DONE, ORDERS);
    check("mails", ORDERS, mail.sent());
    fact("send-mail", "%,d mails, each at the second try", mail.sent());
    shop.await("webhook", EventStatus.DEAD, ORDERS);
    check("calls that the partner took", 0, webhook.received());
    fact("webhook", "%,d copies are DEAD: the partner is gone", ORDERS);
  }

  private void repair(Shop shop, Topic topic, Mail mail, Webhook webhook) throws Exception {
    heading("2. The partner is back: only the webhook's copies are replayed");
    webhook.appear();
    fact("replayed", "%,d copies", shop.replay("webhook"));
    shop.await("webhook", EventStatus.DONE, ORDERS);
    check("events that the partner took", ORDERS, webhook.received());
    check("mails", ORDERS, mail.sent());
    check("messages in Kafka", ORDERS, topic.messages());
    fact("webhook", "%,d events, under the ids of the orders' events", webhook.received());
    fact("the others", "no mail and no message was sent again");
    out.println();
    say("Every subscription has every event, once.");
  }

  private static void check(String what, long expected, long actual) {
    if (expected != actual) {
      throw new IllegalStateException(
          "there should be %,d %s, but there are %,d".formatted(expected, what, actual));
    }
  }

  private void heading(String text) {
    out.println();
    out.println(text);
  }

  private void say(String text) {
    out.println(("   " + text).stripTrailing());
  }

  private void fact(String what, String format, Object... values) {
    say("+ %-12s %s".formatted(what, String.format(Locale.ROOT, format, values)));
  }
}
