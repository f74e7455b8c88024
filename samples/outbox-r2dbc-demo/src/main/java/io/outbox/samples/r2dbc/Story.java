package io.outbox.samples.r2dbc;

import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Places orders that succeed, fail and are canceled, and looks at what is delivered. */
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
    orders.createTable().block(LONG);

    orders.place("A-1", Mono.empty()).block(LONG);
    long start = System.nanoTime();
    awaitMails(1);
    say(
        "A-1 committed; its mail went out "
            + (System.nanoTime() - start) / 1_000_000
            + " ms later");

    String failure =
        orders
            .place("A-2", Mono.error(new IllegalStateException("card refused")))
            .onErrorResume(e -> Mono.just(e.getMessage()))
            .block(LONG);
    say("A-2 failed (" + failure + "): no order, no event");

    String canceled =
        orders
            .place("A-3", Mono.never())
            .timeout(Duration.ofMillis(200), Mono.just("canceled after 200 ms"))
            .block(LONG);
    say("A-3 " + canceled + ": no order, no event");

    orders.place("A-4", Mono.empty()).block(LONG);
    awaitMails(2);
    say("A-4 committed; mails: " + mails.payloads());

    boolean right =
        orders.count().block(LONG) == 2
            && mails.payloads().equals(List.of("{\"orderId\":\"A-1\"}", "{\"orderId\":\"A-4\"}"));
    say(right ? "Two orders, two mails: as it should be." : "WRONG: expected two orders and mails");
    return right;
  }

  private void awaitMails(int count) {
    Flux.interval(Duration.ofMillis(5))
        .filter(tick -> mails.payloads().size() >= count)
        .blockFirst(LONG);
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
