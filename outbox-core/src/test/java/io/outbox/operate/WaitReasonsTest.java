package io.outbox.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.WaitReason.Kind;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.spi.lanes.KeyBlock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** R24: why an event waits can be seen wherever it can be seen that it waits. */
class WaitReasonsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant EARLIER = NOW.minusSeconds(60);
  private static final EventRoute ROUTE = new EventRoute("Order", "Placed");

  private final List<DeliveryPause> pauses = new ArrayList<>();
  private final List<KeyBlock> blocks = new ArrayList<>();
  private final List<Member> members = new ArrayList<>(List.of(member("node-1")));

  private static Member member(String node, Outage... outages) {
    return member(node, new MemberDetail(List.of(outages), List.of()));
  }

  private static Member member(String node, MemberDetail detail) {
    return new Member(
        node,
        DeliveryMode.MULTI_NODE.name(),
        true,
        EARLIER,
        NOW,
        NOW.plusSeconds(15),
        detail.write());
  }

  private static Member lacks(String node, Instant since) {
    return member(node, new MemberDetail(List.of(), List.of(new MissingListener(ROUTE, since))));
  }

  private static Outage outage(String destination, String reason, Instant since, Instant trial) {
    return new Outage("Kafka", destination, Outage.OPEN, reason, since, trial, List.of(ROUTE));
  }

  private static EventSummary event(UnaryOperator<OutboxEvent.Builder> with) {
    OutboxEvent.Builder builder =
        OutboxEvent.builder("e1", "Placed")
            .aggregate("Order", "17")
            .payloadJson("{}")
            .status(EventStatus.NEW)
            .createdAt(EARLIER)
            .availableAt(EARLIER);
    return EventSummary.of(with.apply(builder).build());
  }

  private WaitReason reason(UnaryOperator<OutboxEvent.Builder> with) {
    return new WaitReasons(NOW, pauses, blocks, members, Map.of()).of(event(with)).orElseThrow();
  }

  private WaitReason reason() {
    return reason(event -> event);
  }

  @Test
  void whatIsFinishedWaitsForNothing() {
    WaitReasons reasons = new WaitReasons(NOW, pauses, blocks, members, Map.of());
    assertThat(reasons.of(event(event -> event.status(EventStatus.DONE)))).isEmpty();
    assertThat(reasons.of(event(event -> event.status(EventStatus.DEAD)))).isEmpty();
  }

  @Test
  void whatIsDueWaitsForItsTurnOrForANode() {
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
    members.clear();
    assertThat(reason().kind()).isEqualTo(Kind.NO_NODE);
    assertThat(reason().kind().isObstacle()).isTrue();
  }

  @Test
  void whatIsNotDueWaitsForItsTimeOrItsNextAttempt() {
    Instant later = NOW.plusSeconds(30);
    assertThat(reason(event -> event.availableAt(later)))
        .isEqualTo(new WaitReason(Kind.DELAYED, "its time", null, later));
    WaitReason retry =
        reason(event -> event.availableAt(later).status(EventStatus.RETRY).attempts(2));
    assertThat(retry).isEqualTo(new WaitReason(Kind.RETRY, "its next attempt", null, later));
    assertThat(retry.text(Instant::toString)).isEqualTo("its next attempt, at " + later);
    assertThat(retry.kind().isObstacle()).isFalse();
  }

  /** After an outage, or as its listener asked for. */
  @Test
  void whatWasDeferredWaitsForItsNextAttemptThoughNoneHasFailed() {
    Instant later = NOW.plusSeconds(30);
    assertThat(reason(event -> event.availableAt(later).waitingSince(EARLIER)))
        .isEqualTo(new WaitReason(Kind.RETRY, "its next attempt", null, later));
  }

  @Test
  void whatItsListenerHasNoPlaceForWaitsForOne() {
    BusyListener busy =
        new BusyListener("a place of listener Mails (2 at a time)", EARLIER, List.of(ROUTE));
    members.add(member("node-2", new MemberDetail(List.of(), List.of(), 0, List.of(busy))));
    assertThat(reason()).isEqualTo(new WaitReason(Kind.BUSY, busy.waitsFor(), EARLIER, null));
    assertThat(reason(event -> event.aggregate("Bill", "1")).kind()).isEqualTo(Kind.TURN);
    assertThat(reason(event -> event.availableAt(NOW.plusSeconds(30))).kind())
        .isEqualTo(Kind.DELAYED);
  }

  private WaitReason behind(UnaryOperator<OutboxEvent.Builder> head) {
    OutboxEvent.Builder front =
        OutboxEvent.builder("e0", "First")
            .aggregate("Order", "17")
            .payloadJson("{}")
            .status(EventStatus.NEW)
            .createdAt(EARLIER)
            .availableAt(EARLIER);
    EventSummary first = EventSummary.of(head.apply(front).build());
    WaitReasons reasons =
        new WaitReasons(NOW, pauses, blocks, members, Map.of("e0", first, "e1", first));
    assertThat(reasons.of(first)).get().extracting(WaitReason::kind).isNotEqualTo(Kind.BEHIND);
    return reasons.of(event(event -> event)).orElseThrow();
  }

  @Test
  void whatIsBehindAnotherEventSaysWhatThatWaitsFor() {
    assertThat(behind(head -> head).kind()).isEqualTo(Kind.TURN);
    assertThat(behind(head -> head.lease(new Lease("node-1", EARLIER, 1))).kind())
        .isEqualTo(Kind.TURN);
    Instant later = NOW.plusSeconds(30);
    assertThat(behind(head -> head.status(EventStatus.RETRY).attempts(1).availableAt(later)))
        .isEqualTo(
            new WaitReason(
                Kind.BEHIND,
                "event e0 in front of it, which waits for its next attempt",
                null,
                later));
    pauses.add(new DeliveryPause("Order", "First", "ann", EARLIER, null));
    assertThat(behind(head -> head).text(Instant::toString))
        .isEqualTo(
            "event e0 in front of it, which waits for the end of a pause by ann, since " + EARLIER);
    assertThat(behind(head -> head).kind().isObstacle()).isTrue();
  }

  @Test
  void whatIsLeasedWaitsForItsNodeEvenIfThatIsGone() {
    WaitReason alive = reason(event -> event.lease(new Lease("node-1", EARLIER, 1)));
    assertThat(alive).isEqualTo(new WaitReason(Kind.LEASED, "node node-1", EARLIER, null));

    WaitReason gone = reason(event -> event.lease(new Lease("node-9", EARLIER, 1)));
    assertThat(gone.what()).contains("node-9", "not heard of");
  }

  @Test
  void aPauseIsToldWithWhoAndWhy() {
    pauses.add(new DeliveryPause("Other", null, "bob", EARLIER, null));
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
    pauses.add(new DeliveryPause("Order", null, "ann", EARLIER, "migration"));
    assertThat(reason().text(Instant::toString))
        .isEqualTo("the end of a pause by ann (migration), since " + EARLIER);
    assertThat(reason().kind()).isEqualTo(Kind.PAUSED);
  }

  @Test
  void aPauseOfATenantIsTold() {
    pauses.add(new DeliveryPause(null, null, "other", null, "bob", EARLIER, null));
    pauses.add(new DeliveryPause(null, null, null, "topic orders", "bob", EARLIER, null));
    assertThat(reason(event -> event.tenantId("acme")).kind()).isEqualTo(Kind.TURN);
    pauses.add(new DeliveryPause(null, null, "acme", null, "ann", EARLIER, null));
    assertThat(reason(event -> event.tenantId("acme")).kind()).isEqualTo(Kind.PAUSED);
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
  }

  @Test
  void aBlockedKeyIsToldWithTheEventThatBlocksIt() {
    blocks.add(new KeyBlock(EventKey.named("Order:16"), "e0", EARLIER, "bad"));
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
    blocks.add(new KeyBlock(EventKey.named("Order:17"), "e0", EARLIER, "bad"));
    assertThat(reason())
        .isEqualTo(
            new WaitReason(
                Kind.KEY_BLOCKED, "its key, which dead event e0 blocks (bad)", EARLIER, null));
  }

  @Test
  void aListenerThatIsDownIsToldWithReasonAndNextTrial() {
    Instant trial = NOW.plusSeconds(3);
    members.add(member("node-2", outage("topic orders", "refused", EARLIER, trial)));
    assertThat(reason().text(Instant::toString))
        .isEqualTo(
            "listener Kafka (topic orders), which is down (refused), since "
                + EARLIER
                + ", next trial at "
                + trial);
    assertThat(reason(event -> event.availableAt(NOW.plusSeconds(10))).kind())
        .as("deferred by the outage")
        .isEqualTo(Kind.OUTAGE);
    assertThat(reason(event -> event.availableAt(NOW.plusSeconds(3600))).kind())
        .as("not due for long")
        .isEqualTo(Kind.DELAYED);
    assertThat(reason(event -> event.aggregate("Other", "1")).kind()).isEqualTo(Kind.TURN);
  }

  @Test
  void noListenerIsToldWhenNoNodeHasOne() {
    members.clear();
    members.add(lacks("node-1", EARLIER));
    members.add(member("node-2"));
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
    members.set(1, lacks("node-2", EARLIER.plusSeconds(5)));
    assertThat(reason().kind()).isEqualTo(Kind.NO_LISTENER);
    assertThat(reason().since()).isEqualTo(EARLIER.plusSeconds(5));
    assertThat(RouteWithoutListener.of(members))
        .containsExactly(new RouteWithoutListener(ROUTE, EARLIER.plusSeconds(5), null));
  }

  @Test
  void outagesOfManyNodesAreOne() {
    Instant soon = NOW.plusSeconds(1);
    Instant later = NOW.plusSeconds(9);
    members.clear();
    members.add(member("node-1", outage(null, "second", NOW, later)));
    members.add(member("node-2", outage(null, "first", EARLIER, soon)));
    members.add(member("node-3", outage("topic a", "missing", NOW, null)));
    assertThat(ListenerOutage.of(members))
        .containsExactly(
            new ListenerOutage(
                "Kafka",
                null,
                "OPEN",
                "first",
                EARLIER,
                soon,
                List.of("node-1", "node-2"),
                List.of(ROUTE)),
            new ListenerOutage(
                "Kafka",
                "topic a",
                "OPEN",
                "missing",
                NOW,
                null,
                List.of("node-3"),
                List.of(ROUTE)));
  }

  @Test
  void anOutageIsHalfOpenWhileOneOfItsNodesTriesAnEvent() {
    Outage trial = new Outage("Kafka", null, Outage.HALF_OPEN, "x", NOW, null, List.of(ROUTE));
    Outage open = outage(null, "y", EARLIER, NOW);
    for (List<Outage> each : List.of(List.of(open, trial), List.of(trial, open))) {
      members.clear();
      members.add(member("node-1", each.get(0)));
      members.add(member("node-2", each.get(1)));
      assertThat(ListenerOutage.of(members))
          .singleElement()
          .satisfies(
              outage -> {
                assertThat(outage.state()).isEqualTo(Outage.HALF_OPEN);
                assertThat(outage.reason()).isEqualTo("y");
              });
    }
  }

  @Test
  void whatNobodyUnderstandsIsLeftOut() {
    members.add(
        new Member("old", "MULTI_NODE", true, EARLIER, NOW, NOW.plusSeconds(15), "free text"));
    members.add(new Member("older", "MULTI_NODE", true, EARLIER, NOW, NOW.plusSeconds(15), null));
    assertThat(new WaitReasons(NOW, pauses, blocks, members, Map.of()).outages()).isEmpty();
    assertThat(reason().kind()).isEqualTo(Kind.TURN);
  }
}
