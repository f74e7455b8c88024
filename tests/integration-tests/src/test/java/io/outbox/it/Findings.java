package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.it.Ledger.Delivered;
import io.outbox.it.Ledger.Fate;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is wrong with a run: which events were lost, delivered twice, or delivered though they were
 * rolled back, each with all that is known of it.
 */
final class Findings {

  private static final int SHOWN = 20;

  /** What the table says of an event. */
  record Row(
      EventStatus status,
      int attempts,
      long leaseNo,
      int claims,
      int starts,
      String lockedBy,
      Object lockedAt,
      Object availableAt) {

    @Override
    public String toString() {
      return "%s, attempts %d, lease_no %d, claims %d, starts %d, locked_by %s at %s, due %s"
          .formatted(status, attempts, leaseNo, claims, starts, lockedBy, lockedAt, availableAt);
    }
  }

  final List<String> lost = new ArrayList<>();
  final List<String> doubled = new ArrayList<>();
  final List<String> phantoms = new ArrayList<>();
  final List<String> dead = new ArrayList<>();
  int committed;

  private final Map<String, Fate> fates;
  private final Map<String, List<Delivered>> deliveries;
  private final Map<String, Row> rows;
  private Journal journal = new Journal();

  private Findings(
      Map<String, Fate> fates, Map<String, List<Delivered>> deliveries, Map<String, Row> rows) {
    this.fates = fates;
    this.deliveries = deliveries;
    this.rows = rows;
  }

  static Findings of(Map<String, Fate> fates, List<Delivered> deliveries, Map<String, Row> rows) {
    Findings findings =
        new Findings(
            fates, deliveries.stream().collect(Collectors.groupingBy(Delivered::eventId)), rows);
    Set<String> ids = new HashSet<>(fates.keySet());
    ids.addAll(findings.deliveries.keySet());
    ids.addAll(rows.keySet());
    ids.forEach(findings::judge);
    return findings;
  }

  /** What is wrong is described with what the journal knows of it. */
  Findings explainedBy(Journal known) {
    journal = known;
    return this;
  }

  static Map<String, Row> rows(Scenario scenario) {
    Map<String, Row> rows = new HashMap<>();
    for (List<Object> row :
        scenario.query(
            "SELECT event_id, status, attempts, lease_no, claims, starts, locked_by, locked_at,"
                + " available_at FROM outbox_event")) {
      rows.put(
          (String) row.get(0),
          new Row(
              EventStatus.fromCode(number(row.get(1))),
              number(row.get(2)),
              number(row.get(3)),
              number(row.get(4)),
              number(row.get(5)),
              (String) row.get(6),
              row.get(7),
              row.get(8)));
    }
    return rows;
  }

  private static int number(Object value) {
    return ((Number) value).intValue();
  }

  private void judge(String id) {
    Row row = rows.get(id);
    int times = deliveries.getOrDefault(id, List.of()).size();
    Fate fate = fates.get(id);
    boolean isThere = fate == Fate.COMMITTED || (fate != Fate.ROLLED_BACK && row != null);
    if (!isThere) {
      if (times > 0 || row != null) {
        phantoms.add(id);
      }
      return;
    }
    committed++;
    if (times == 0 || row == null || row.status() != EventStatus.DONE) {
      lost.add(id);
    }
    if (times > 1) {
      doubled.add(id);
    }
    if (row != null && row.status() == EventStatus.DEAD) {
      dead.add(id);
    }
  }

  /** Every committed event is DONE and was delivered; nothing rolled back was (R1, R2). */
  Findings assertAtLeastOnce() {
    assertThat(lost.isEmpty() && phantoms.isEmpty() && dead.isEmpty()).as(this::describe).isTrue();
    return this;
  }

  /** And none was delivered twice (R3). */
  Findings assertExactlyOnce() {
    assertAtLeastOnce();
    assertThat(doubled.isEmpty()).as(this::describe).isTrue();
    return this;
  }

  /** No event was delivered again sooner than this after its first delivery; null: never again. */
  Findings assertDoubledNoSooner(Duration apart) {
    List<String> tooSoon =
        doubled.stream().filter(id -> apart == null || gap(id) < apart.toMillis()).toList();
    assertThat(tooSoon).as(this::describe).isEmpty();
    return this;
  }

  /** The shortest time between two deliveries. */
  private long gap(String id) {
    long[] times = deliveries.get(id).stream().mapToLong(Delivered::millis).sorted().toArray();
    return IntStream.range(1, times.length).mapToLong(i -> times[i] - times[i - 1]).min().orElse(0);
  }

  /** One line of figures. */
  String summary() {
    int times = deliveries.values().stream().mapToInt(List::size).sum();
    long hot = deliveries.values().stream().flatMap(List::stream).filter(Delivered::hot).count();
    return "%d events, %d deliveries (%d hot), %d lost, %d doubled, %d phantoms, %d dead"
        .formatted(
            committed, times, hot, lost.size(), doubled.size(), phantoms.size(), dead.size());
  }

  String describe() {
    StringBuilder text = new StringBuilder(summary());
    describe(text, "LOST", lost);
    describe(text, "DOUBLED", doubled);
    describe(text, "PHANTOM", phantoms);
    return text.toString();
  }

  private void describe(StringBuilder text, String what, List<String> ids) {
    ids.stream()
        .limit(SHOWN)
        .forEach(
            id ->
                text.append(
                    "\n  %s %s: transaction %s; row: %s; delivered %s%s"
                        .formatted(
                            what,
                            id,
                            fates.get(id),
                            rows.get(id),
                            deliveries.getOrDefault(id, List.of()),
                            journal.of(id))));
    if (ids.size() > SHOWN) {
      text.append("\n  … and ").append(ids.size() - SHOWN).append(" more ").append(what);
    }
  }
}
