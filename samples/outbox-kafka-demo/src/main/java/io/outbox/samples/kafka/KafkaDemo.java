package io.outbox.samples.kafka;

import java.io.PrintStream;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells how orders become shipments: order service, outbox, Kafka, idempotent consumer. Ends by
 * itself, and fails if what it tells is not so.
 */
public final class KafkaDemo {

  private static final int ORDERS = 1_000;
  private static final int CANCELLED = 50;
  private static final int EVERY = 10;
  private static final int BEFORE_THE_CRASH = 400;

  /** The library logs what the story tells itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private final PrintStream out;

  private KafkaDemo(PrintStream out) {
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
    new KafkaDemo(out).tell();
  }

  private void tell() throws Exception {
    heading("Orders, an outbox, Kafka, and a consumer that ignores duplicates: all in this JVM");
    try (Topic topic = Topic.create();
        OrderService orders = new OrderService(topic, EVERY);
        Shipping shipping = new Shipping(topic)) {
      fact("Kafka is up", "KRaft, at %s, topic '%s'", topic.bootstrapServers(), topic.name());
      placeOrders(orders);
      publish(orders, topic);
      ship(shipping, topic);
      summary(orders, topic, shipping);
    }
  }

  private void placeOrders(OrderService orders) throws Exception {
    heading("1. The order service writes each order and its event in one transaction");
    for (int i = 1; i <= ORDERS; i++) {
      orders.place("A-" + i);
    }
    for (int i = 1; i <= CANCELLED; i++) {
      orders.placeAndRollBack("B-" + i);
    }
    check("orders in the table", ORDERS, orders.orders());
    fact("committed", "%,d orders, each with an event", ORDERS);
    fact("rolled back", "%,d orders, whose events are gone with them", CANCELLED);
  }

  private void publish(OrderService orders, Topic topic) throws Exception {
    heading("2. The outbox publishes them to Kafka");
    say("The network plays tricks: every " + EVERY + "th message is sent twice.");
    orders.awaitPublished(ORDERS);
    check("messages in Kafka", ORDERS + ORDERS / EVERY, topic.messages());
    fact("published", "%,d events, acknowledged by Kafka", ORDERS);
    fact("in the topic", "%,d messages: %,d duplicates", topic.messages(), ORDERS / EVERY);
  }

  private void ship(Shipping shipping, Topic topic) throws Exception {
    heading("3. The consumer ships each order once, with an inbox in its own database");
    int first = shipping.consumeAndCrash(BEFORE_THE_CRASH);
    fact("read, then crashed", "%,d messages, before their offsets were committed", first);
    int second = shipping.consume(topic.messages());
    check("messages after the restart", topic.messages(), second);
    fact("restarted", "Kafka delivered %,d messages, these %,d once more", second, first);
  }

  private void summary(OrderService orders, Topic topic, Shipping shipping) throws Exception {
    long delivered = shipping.processed() + shipping.duplicates();
    check("shipments", ORDERS, shipping.shipments());
    check("actions of the consumer", ORDERS, shipping.processed());
    check("orders that were shipped", ORDERS, shipping.shippedOrders());
    heading("In the end");
    row("orders committed", orders.orders());
    row("messages in Kafka", topic.messages());
    row("deliveries to the consumer", delivered);
    row("duplicates ignored", shipping.duplicates());
    row("shipments", shipping.shipments());
    say("");
    say("Each order was shipped once.");
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
    say("+ %-20s %s".formatted(what, String.format(Locale.ROOT, format, values)));
  }

  private void row(String what, long count) {
    say(String.format(Locale.ROOT, "%-28s %,7d", what, count));
  }
}
