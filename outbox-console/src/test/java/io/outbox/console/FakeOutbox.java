package io.outbox.console;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.ErrorGroup;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.SubscriptionStore;
import io.outbox.spi.lanes.KeyBlock;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Rows in memory for what only the console can get wrong; deliveries need a real table. */
final class FakeOutbox implements OperatorStore {

  final Map<String, OutboxEvent> rows = new TreeMap<>();
  final List<DeliveryPause> pauses = new ArrayList<>();
  final FakeSubscriptions subscriptions = new FakeSubscriptions();

  /** All say the same. */
  volatile List<String> nodes = List.of("node-1");

  final List<Outage> outages = new CopyOnWriteArrayList<>();
  final List<MissingListener> missingListeners = new CopyOnWriteArrayList<>();
  final List<AuditEntry> audit = new ArrayList<>();
  final AtomicInteger overviews = new AtomicInteger();
  volatile boolean installed = true;
  volatile boolean scanLimited;
  volatile Function<Instant, Overview> story;
  volatile RuntimeException failure;
  volatile Runnable beforeChange = () -> {};

  OutboxOperator operator() {
    return OutboxOperator.of(FakeOutbox::connection, new Store()).as("nobody");
  }

  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            FakeOutbox.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "getMetaData" -> metaData();
                  default -> method.getReturnType() == boolean.class ? true : null;
                });
  }

  private static Object metaData() {
    return Proxy.newProxyInstance(
        FakeOutbox.class.getClassLoader(),
        new Class<?>[] {DatabaseMetaData.class},
        (proxy, method, args) ->
            method.getName().equals("getURL")
                ? "jdbc:postgresql://db.example.org:5432/shop?password=secret"
                : null);
  }

  synchronized OutboxEvent.Builder row(String id, String type, EventStatus status) {
    return OutboxEvent.builder(id, type)
        .status(status)
        .seq(rows.size() + 1L)
        .leaseNumber(1)
        .createdAt(Instant.now())
        .availableAt(Instant.now());
  }

  synchronized void add(OutboxEvent.Builder row) {
    OutboxEvent event = row.build();
    rows.put(event.eventId(), event);
  }

  void addMany(int count, EventStatus status) {
    for (int i = 0; i < count; i++) {
      add(row("e" + (100_000 + i), "OrderPlaced", status).payloadJson("{}"));
    }
  }

  private static boolean has(OutboxEvent event, String error) {
    return event.lastError() != null && event.lastError().contains(error);
  }

  private void failIfTold() {
    RuntimeException told = failure;
    if (told != null) {
      throw told;
    }
  }

  @Override
  public boolean isInstalled(Connection conn) {
    return installed;
  }

  @Override
  public synchronized Overview overview(Connection conn, Instant now, Instant leasedBefore) {
    overviews.incrementAndGet();
    failIfTold();
    if (story != null) {
      return story.apply(now);
    }
    Map<EventStatus, Count> counts = new EnumMap<>(EventStatus.class);
    Map<LifecycleState, Count> states = new EnumMap<>(LifecycleState.class);
    for (OutboxEvent event : rows.values()) {
      counts.merge(event.status(), Count.exactly(1), FakeOutbox::sum);
      states.merge(EventSummary.of(event).state(), Count.exactly(1), FakeOutbox::sum);
    }
    return new Overview(
        Instant.now(),
        counts,
        states,
        null,
        new Overview.Throughput(60, 10, Duration.ofSeconds(10)),
        Count.exactly(0),
        Count.exactly(0),
        List.of(new ErrorGroup("no route to <b>host</b>", 3, "e1", "no route to <b>host</b>")),
        3,
        pauses,
        members(conn));
  }

  @Override
  public List<Member> members(Connection conn) {
    String detail = new MemberDetail(outages, missingListeners).write();
    Instant now = Instant.now();
    return nodes.stream()
        .map(
            node ->
                new Member(
                    node,
                    "MULTI_NODE",
                    true,
                    now.minusSeconds(9_000),
                    now,
                    now.plusSeconds(15),
                    detail))
        .toList();
  }

  private static Count sum(Count a, Count b) {
    return Count.exactly(a.value() + b.value());
  }

  @Override
  public synchronized EventPage search(
      Connection conn, EventFilter filter, String after, int limit, int scanLimit) {
    failIfTold();
    if (after != null && !after.matches("[0-9]+")) {
      throw new IllegalArgumentException("'" + after + "' is not what a search has returned");
    }
    long from = after == null ? Long.MAX_VALUE : Long.parseLong(after);
    List<EventSummary> found =
        rows.values().stream()
            .filter(event -> event.seq() < from)
            .filter(e -> filter.statuses().isEmpty() || filter.statuses().contains(e.status()))
            .filter(e -> filter.eventType().map(e.eventType()::equals).orElse(true))
            .filter(e -> filter.errorContains().map(text -> has(e, text)).orElse(true))
            .sorted(Comparator.comparing(OutboxEvent::seq).reversed())
            .limit(limit + 1L)
            .map(EventSummary::of)
            .toList();
    boolean more = found.size() > limit;
    List<EventSummary> page = more ? found.subList(0, limit) : found;
    String next = more ? Long.toString(page.get(limit - 1).seq()) : null;
    return scanLimited
        ? new EventPage(page, "1", 20_000, true)
        : new EventPage(page, next, found.size(), false);
  }

  @Override
  public EventPage candidates(
      Connection conn,
      OperatorAction action,
      EventFilter filter,
      Instant since,
      String after,
      int limit,
      int scanLimit) {
    Set<EventStatus> statuses = EnumSet.copyOf(action.appliesTo());
    if (!filter.statuses().isEmpty()) {
      statuses.retainAll(filter.statuses());
    }
    return statuses.isEmpty()
        ? new EventPage(List.of(), null, 0, false)
        : search(conn, filter.toBuilder().statuses(statuses).build(), after, limit, scanLimit);
  }

  @Override
  public synchronized List<EventSummary> summaries(Connection conn, Collection<String> eventIds) {
    failIfTold();
    return rows.values().stream()
        .filter(event -> eventIds.contains(event.eventId()))
        .map(EventSummary::of)
        .toList();
  }

  @Override
  public synchronized Optional<OutboxEvent> find(Connection conn, String eventId) {
    failIfTold();
    return Optional.ofNullable(rows.get(eventId));
  }

  @Override
  public synchronized List<EventSummary> neighbors(
      Connection conn, OutboxEvent event, int each, int scanLimit) {
    return rows.values().stream()
        .filter(other -> other != event && other.key().equals(event.key()))
        .sorted(Comparator.comparing(OutboxEvent::seq))
        .limit(each)
        .map(EventSummary::of)
        .toList();
  }

  @Override
  public Set<String> change(
      Connection conn, OperatorAction action, List<EventSummary> events, Instant now) {
    beforeChange.run();
    synchronized (this) {
      for (EventSummary each : events) {
        rows.remove(each.eventId());
        if (!(action instanceof OperatorAction.Purge)) {
          boolean kill = action instanceof OperatorAction.Kill;
          add(
              row(each.eventId(), each.eventType(), kill ? EventStatus.DEAD : EventStatus.NEW)
                  .seq(each.seq())
                  .lastError(action.detail()));
        }
      }
      return events.stream().map(EventSummary::eventId).collect(Collectors.toSet());
    }
  }

  @Override
  public List<KeyBlock> blockedKeys(Connection conn, int limit) {
    return List.of(new KeyBlock(EventKey.named("Order:1"), "e1", Instant.now(), "why"));
  }

  @Override
  public boolean unblock(Connection conn, String eventId) {
    return true;
  }

  @Override
  public List<DeliveryPause> pauses(Connection conn) {
    return List.copyOf(pauses);
  }

  @Override
  public boolean pause(Connection conn, DeliveryPause pause) {
    return pauses.add(pause);
  }

  @Override
  public boolean hold(Connection conn, DeliveryPause pause) {
    return pauses.add(pause);
  }

  @Override
  public boolean endHold(Connection conn, String tenantId, String destination) {
    return pauses.removeIf(
        pause ->
            Objects.equals(pause.tenantId(), tenantId)
                && Objects.equals(pause.destination(), destination));
  }

  @Override
  public boolean resume(Connection conn, String aggregateType, String eventType) {
    return pauses.removeIf(pause -> pause.matches(aggregateType, eventType));
  }

  @Override
  public synchronized long openAudit(Connection conn, AuditEntry entry) {
    audit.add(entry);
    return audit.size();
  }

  @Override
  public synchronized void updateAudit(Connection conn, long id, long changed, Instant finishedAt) {
    AuditEntry e = audit.get((int) id - 1);
    audit.set(
        (int) id - 1,
        new AuditEntry(
            id,
            e.who(),
            e.what(),
            e.at(),
            e.filter(),
            e.detail(),
            e.count() + changed,
            finishedAt));
  }

  @Override
  public synchronized List<AuditEntry> audit(Connection conn, Long before, int limit) {
    return audit.stream()
        .filter(entry -> before == null || entry.id() < before)
        .sorted(Comparator.comparing(AuditEntry::id).reversed())
        .limit(limit)
        .toList();
  }

  /** Only to lead to the operator. */
  private final class Store implements OutboxStore {

    @Override
    public Optional<OperatorStore> operator() {
      return Optional.of(FakeOutbox.this);
    }

    @Override
    public Optional<SubscriptionStore> subscriptions() {
      return Optional.of(subscriptions);
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markDone(Connection conn, String eventId) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxEvent> pollPending(
        Connection conn, Instant now, Duration skipRecent, int limit) {
      throw new UnsupportedOperationException();
    }
  }
}
