package io.outbox.samples.events;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.springframework.stereotype.Component;

/** Publishes events in transactions that succeed, fail or are missing, and looks at the mails. */
@Component
class Story {

  private static final Duration LONG = Duration.ofSeconds(30);

  private final Orders orders;
  private final Mails mails;

  Story(Orders orders, Mails mails) {
    this.orders = orders;
    this.mails = mails;
  }

  /** Whether everything was as it should be. */
  boolean tell() {
    orders.place("A-1", () -> {});
    long start = System.nanoTime();
    awaitMails(1);
    say("A-1 committed; its mail went out " + millisSince(start) + " ms later");

    boolean failed =
        fails(
            "A-2 failed, no order, no event: ",
            () ->
                orders.place(
                    "A-2",
                    () -> {
                      throw new IllegalStateException("card refused");
                    }));
    boolean refused = fails("A-3 without a transaction: ", () -> orders.forget("A-3"));

    orders.ship("A-1", "by bike");
    awaitMails(2);
    say("A-1 shipped, an event of Spring Modulith; mails: " + mails.sent());

    boolean right =
        failed
            && refused
            && orders.count() == 1
            && mails.sent().equals(List.of("thank you for A-1", "A-1 comes by bike"));
    say(right ? "One order, two mails: as it should be." : "WRONG: expected one order, two mails");
    return right;
  }

  private static boolean fails(String what, Runnable work) {
    try {
      work.run();
      return false;
    } catch (IllegalStateException e) {
      say(what + e.getMessage());
      return true;
    }
  }

  private void awaitMails(int count) {
    long start = System.nanoTime();
    while (mails.sent().size() < count && millisSince(start) < LONG.toMillis()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
