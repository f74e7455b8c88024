package io.outbox.operate;

import io.outbox.AggregateType;
import io.outbox.operate.WaitReason.Kind;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.lanes.KeyBlock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The reasons why events wait now, on all nodes: outages, pauses and others. Decides from its
 * arguments, without a look at the database.
 */
public final class WaitReasons {

  /** An outage defers events for less; a later event waits for something else. */
  private static final Duration LONGEST_DEFERRAL = Duration.ofMinutes(6);

  private final Instant at;
  private final List<DeliveryPause> pauses;
  private final List<Member> members;
  private final List<ListenerOutage> outages;
  private final List<RouteWithoutListener> withoutListener;
  private final List<BusyListener> busy;
  private final Map<String, KeyBlock> blocks = new LinkedHashMap<>();
  private final Map<String, EventSummary> inFront;

  /**
   * @param at the database's time
   * @param blocks of the events in question, at least
   * @param inFront by the ids of events, the event in front of each of them
   */
  public WaitReasons(
      Instant at,
      List<DeliveryPause> pauses,
      List<KeyBlock> blocks,
      List<Member> members,
      Map<String, EventSummary> inFront) {
    this.inFront = Map.copyOf(Objects.requireNonNull(inFront, "inFront"));
    this.at = Objects.requireNonNull(at, "at");
    this.pauses = List.copyOf(Objects.requireNonNull(pauses, "pauses"));
    this.members = List.copyOf(Objects.requireNonNull(members, "members"));
    this.outages = ListenerOutage.of(this.members);
    this.withoutListener = RouteWithoutListener.of(this.members);
    this.busy =
        this.members.stream()
            .flatMap(member -> MemberDetail.read(member.detail()).busy().stream())
            .toList();
    Objects.requireNonNull(blocks, "blocks");
    blocks.forEach(block -> this.blocks.putIfAbsent(block.key().name(), block));
  }

  /** Listeners and destinations that are down, the longest outage first. */
  public List<ListenerOutage> outages() {
    return outages;
  }

  /** How many more are down on a node, at least, than it has told. */
  public int moreOutages() {
    return ListenerOutage.more(members);
  }

  public List<DeliveryPause> pauses() {
    return pauses;
  }

  /** The event types that no delivering node has a listener for, the longest first. */
  public List<RouteWithoutListener> withoutListener() {
    return withoutListener;
  }

  /** Listeners that hold events back by their policies, on each node. */
  public List<BusyListener> busy() {
    return busy;
  }

  /** Keys that wait because one of their events is DEAD. */
  public List<KeyBlock> blocks() {
    return List.copyOf(blocks.values());
  }

  /** The reason why an event waits; empty if it is DONE or DEAD. */
  public Optional<WaitReason> of(EventSummary event) {
    if (!event.status().isPending()) {
      return Optional.empty();
    }
    return leased(event)
        .or(() -> paused(event))
        .or(() -> blocked(event))
        .or(() -> withoutListener(event))
        .or(() -> down(event))
        .or(() -> notDue(event))
        .or(() -> busy(event))
        .or(() -> behind(event))
        .or(() -> Optional.of(turn()));
  }

  private Optional<WaitReason> leased(EventSummary event) {
    if (event.lockedBy() == null) {
      return Optional.empty();
    }
    boolean gone =
        !members.isEmpty()
            && members.stream().noneMatch(member -> member.node().equals(event.lockedBy()));
    return reason(
        Kind.LEASED,
        "node "
            + event.lockedBy()
            + (gone ? ", which is not heard of: others take it when its lease ends" : ""),
        event.lockedAt(),
        null);
  }

  private Optional<WaitReason> paused(EventSummary event) {
    String aggregateType =
        event.aggregateType() == null ? AggregateType.GLOBAL.name() : event.aggregateType();
    return pauses.stream()
        .filter(
            pause ->
                pause.matches(aggregateType, event.eventType())
                    || pause.tenantId() != null && pause.tenantId().equals(event.tenantId()))
        .findFirst()
        .flatMap(
            pause ->
                reason(
                    Kind.PAUSED,
                    "the end of a pause by " + pause.by() + because(pause.reason()),
                    pause.since(),
                    null));
  }

  private Optional<WaitReason> blocked(EventSummary event) {
    if (blocks.isEmpty()) {
      return Optional.empty();
    }
    KeyBlock block = blocks.get(event.key().name());
    return block == null
        ? Optional.empty()
        : reason(
            Kind.KEY_BLOCKED,
            "its key, which dead event " + block.eventId() + " blocks" + because(block.reason()),
            block.since(),
            null);
  }

  private Optional<WaitReason> withoutListener(EventSummary event) {
    return withoutListener.stream()
        .filter(missing -> missing.route().matches(event.aggregateType(), event.eventType()))
        .findFirst()
        .flatMap(
            missing ->
                reason(
                    Kind.NO_LISTENER,
                    "a listener, which no node has for it" + because(missing.nearMiss()),
                    missing.since(),
                    null));
  }

  private Optional<WaitReason> down(EventSummary event) {
    if (event.availableAt().isAfter(at.plus(LONGEST_DEFERRAL))) {
      return Optional.empty();
    }
    return outages.stream()
        .filter(outage -> outage.matches(event.aggregateType(), event.eventType()))
        .findFirst()
        .flatMap(
            outage ->
                reason(
                    Kind.OUTAGE,
                    "listener " + outage.name() + ", which is down" + because(outage.reason()),
                    outage.since(),
                    outage.nextTrial()));
  }

  private Optional<WaitReason> notDue(EventSummary event) {
    if (!event.availableAt().isAfter(at)) {
      return Optional.empty();
    }
    boolean tried = event.attempts() > 0 || event.waitingSince() != null;
    return reason(
        tried ? Kind.RETRY : Kind.DELAYED,
        tried ? "its next attempt" : "its time",
        null,
        event.availableAt());
  }

  private Optional<WaitReason> busy(EventSummary event) {
    return busy.stream()
        .filter(
            one ->
                one.routes().stream()
                    .anyMatch(route -> route.matches(event.aggregateType(), event.eventType())))
        .findFirst()
        .flatMap(one -> reason(Kind.BUSY, one.waitsFor(), one.since(), null));
  }

  /** The reason of the event in front of it. */
  private Optional<WaitReason> behind(EventSummary event) {
    EventSummary front = inFront.get(event.eventId());
    if (front == null || front.eventId().equals(event.eventId())) {
      return Optional.empty();
    }
    return of(front)
        .filter(reason -> reason.kind().isObstacle() || reason.until() != null)
        .filter(reason -> reason.kind() != Kind.NO_NODE)
        .map(
            reason ->
                new WaitReason(
                    Kind.BEHIND,
                    "event %s in front of it, which waits for %s"
                        .formatted(front.eventId(), reason.what()),
                    reason.since(),
                    reason.until()));
  }

  private WaitReason turn() {
    return members.stream().anyMatch(Member::delivers)
        ? new WaitReason(Kind.TURN, "its turn", null, null)
        : new WaitReason(Kind.NO_NODE, "a node: none is known that delivers", null, null);
  }

  private static Optional<WaitReason> reason(Kind kind, String what, Instant since, Instant until) {
    return Optional.of(new WaitReason(kind, what, since, until));
  }

  private static String because(String reason) {
    return reason == null || reason.isBlank() ? "" : " (" + reason + ")";
  }
}
