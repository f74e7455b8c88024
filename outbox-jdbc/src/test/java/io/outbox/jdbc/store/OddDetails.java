package io.outbox.jdbc.store;

import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** What a node might say about itself at worst. */
final class OddDetails {

  private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final String ODD =
      "\0\u001b[31m\"quoted\"\\ \u202e\ud800 \ud83d\ude00 \u00fc '; -- \r\n";

  private OddDetails() {}

  static MemberDetail many() {
    EventRoute route = new EventRoute("Order", ODD.repeat(3));
    return new MemberDetail(
        IntStream.range(0, 500)
            .mapToObj(
                i ->
                    new Outage(
                        ODD.repeat(20) + i,
                        ODD,
                        Outage.OPEN,
                        ODD.repeat(100),
                        SINCE,
                        SINCE,
                        List.of(route, route)))
            .toList(),
        IntStream.range(0, 500).mapToObj(i -> new MissingListener(route, SINCE)).toList());
  }
}
