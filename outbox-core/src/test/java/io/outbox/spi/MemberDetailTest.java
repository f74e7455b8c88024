package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberDetailTest {

  private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final EventRoute ROUTE = new EventRoute("Order", "Placed");

  private static Outage outage(String text) {
    return new Outage(text, text, Outage.OPEN, text, SINCE, null, List.of(ROUTE));
  }

  private static MemberDetail readBack(MemberDetail detail) {
    return MemberDetail.read(detail.write());
  }

  @Test
  void whoHasNothingToSayWritesNothing() {
    assertThat(MemberDetail.NONE.write()).isNull();
    assertThat(MemberDetail.read(null)).isEqualTo(MemberDetail.NONE);
  }

  @Test
  void whatIsWrittenIsRead() {
    MemberDetail detail =
        new MemberDetail(
            List.of(
                new Outage(
                    "KafkaPublisher",
                    "orders",
                    Outage.HALF_OPEN,
                    "down",
                    SINCE,
                    SINCE,
                    List.of(ROUTE, new EventRoute(null, "Any"))),
                outage("listener")),
            List.of(
                new MissingListener(ROUTE, SINCE),
                new MissingListener(new EventRoute("Order", "Other"), SINCE, false)),
            0,
            List.of(
                new BusyListener(
                    "a place of listener Mails (2 at a time)", SINCE, List.of(ROUTE))));
    assertThat(readBack(detail)).isEqualTo(detail);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"\\/\b\f\n\r\t", "\u0001\u001b[2J\u007f", "\u00fc\u202e\u2028", "\ud83d\ude00"})
  void oddCharactersComeBackAndAreWrittenInAscii(String odd) {
    MemberDetail detail =
        new MemberDetail(
            List.of(outage(odd)), List.of(new MissingListener(new EventRoute(odd, odd), SINCE)));
    assertThat(detail.write()).matches("[ -~]*");
    assertThat(readBack(detail)).isEqualTo(detail);
  }

  @Test
  void whatNoDatabaseCanStoreIsReplaced() {
    MemberDetail detail = new MemberDetail(List.of(outage("a\0b\ud800c")), List.of());
    assertThat(readBack(detail).outages()).containsExactly(outage("a\ufffdb\ufffdc"));
  }

  @Test
  void longTextsAreCutButNoRoute() {
    EventRoute route = new EventRoute("a".repeat(64), "\u00e4".repeat(128));
    MemberDetail detail =
        new MemberDetail(
            List.of(
                new Outage(
                    "n".repeat(5000),
                    null,
                    Outage.OPEN,
                    "r".repeat(50_000),
                    SINCE,
                    SINCE,
                    List.of(route))),
            List.of(new MissingListener(route, SINCE)));
    MemberDetail read = readBack(detail);
    assertThat(read.outages().get(0).reason()).hasSize(MemberDetail.REASON_LENGTH);
    assertThat(read.outages().get(0).listener()).hasSizeLessThan(300);
    assertThat(read.outages().get(0).routes()).containsExactly(route);
    assertThat(read.missingListeners()).isEqualTo(detail.missingListeners());
  }

  /** Else others take the node for one that may have a listener, and events wait for it. */
  @Test
  void R25_missingDestinationsDoNotPushOutMissingListeners() {
    List<EventRoute> routes =
        IntStream.range(0, 100).mapToObj(i -> new EventRoute("Order", "T" + i)).toList();
    List<Outage> outages =
        IntStream.range(0, 200)
            .mapToObj(i -> new Outage("l", "d" + i, Outage.OPEN, "r", SINCE, SINCE, routes))
            .toList();
    List<MissingListener> missing =
        routes.stream().map(route -> new MissingListener(route, SINCE, true, "near")).toList();

    MemberDetail read = readBack(new MemberDetail(outages, missing));

    assertThat(read.missingListeners()).isEqualTo(missing);
    assertThat(read.outages()).isNotEmpty();
    assertThat(read.outages().size() + read.moreOutages()).isEqualTo(200);
  }

  @Test
  void manyEntriesStayBelowTheLengthOfTheColumn() {
    String odd = "\u20ac".repeat(1000);
    List<EventRoute> routes =
        IntStream.range(0, 1000).mapToObj(i -> new EventRoute("Order", "T" + i)).toList();
    MemberDetail detail =
        new MemberDetail(
            IntStream.range(0, 1000)
                .mapToObj(i -> new Outage(odd, odd, Outage.OPEN, odd, SINCE, SINCE, routes))
                .toList(),
            routes.stream().map(route -> new MissingListener(route, SINCE)).toList());
    assertThat(detail.write().length()).isLessThan(60_001);
    assertThat(readBack(detail).outages()).isNotEmpty();
    assertThat(readBack(new MemberDetail(List.of(), detail.missingListeners())).missingListeners())
        .hasSizeGreaterThan(50);
  }

  @Test
  void whatALaterVersionSaysIsReadAsFarAsItIsKnown() {
    MemberDetail read =
        MemberDetail.read(
            """
            { "version": 7, "later": {"a": [1, -2.5e3, true, false, null, {}]},
              "outages": [
                "odd", null, {}, {"listener": 5, "since": "2026-01-01T00:00:00Z"},
                {"listener": "x", "since": "yesterday"},
                {"listener": "kafka", "since": "2026-01-01T00:00:00.123456Z", "state": "MELTED",
                 "nextTrial": 17, "later": [[]],
                 "routes": [{"aggregateType": "Order", "eventType": "Placed", "later": 1}, {}, 3]}],
              "missing": {"not": "a list"} }
            """);
    assertThat(read.missingListeners()).isEmpty();
    assertThat(read.outages())
        .containsExactly(new Outage("kafka", null, "MELTED", "", SINCE, null, List.of(ROUTE)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "{", "[]", "17", "\"text\"", "null", "{\"outages\":[}", "1e99999999999"})
  void whatIsNoDetailSaysNothing(String text) {
    assertThat(MemberDetail.read(text)).isEqualTo(MemberDetail.NONE);
  }

  @Test
  void whatIsNestedTooDeeplySaysNothing() {
    assertThat(MemberDetail.read("[".repeat(50_000) + "]".repeat(50_000)))
        .isEqualTo(MemberDetail.NONE);
  }
}
