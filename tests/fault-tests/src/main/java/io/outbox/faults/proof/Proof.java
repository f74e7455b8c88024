package io.outbox.faults.proof;

import io.outbox.faults.node.Mode;
import io.outbox.faults.node.NodeSettings;
import io.outbox.faults.scenario.Fault;
import io.outbox.it.JournaledNode;
import io.outbox.it.KeyHistory;
import io.outbox.it.KeyJournal;
import io.outbox.it.KeyJournal.Entry;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Proves from the journals of all nodes and the table that nothing committed was lost, nothing
 * rolled back was delivered, no order was broken, and nothing was delivered again but for a fault.
 */
public final class Proof {

  /** How long after its end a fault still explains that something is delivered again. */
  private static final Duration AFTERMATH = NodeSettings.LEASE.multipliedBy(3);

  /** A row, as the database has it in the end. */
  public record Row(String eventId, String key, long seq, EventStatus status, int attempts) {

    List<Object> columns() {
      return List.of(eventId, key, seq, status.code());
    }
  }

  /** A call and who made it. */
  private record Call(String node, long nodeEnded, Entry entry) {

    /** It came back and said no: to be repeated. */
    boolean isFailure() {
      return entry.end() != null && !entry.succeeded();
    }
  }

  private final Verdict verdict = new Verdict();
  private final Map<String, Row> rows = new HashMap<>();
  private final Map<String, List<Call>> calls = new HashMap<>();
  private final Collection<Fault> faults;

  private Proof(Collection<Row> rows, Collection<Fault> faults) {
    rows.forEach(row -> this.rows.put(row.eventId, row));
    this.faults = faults;
  }

  public static Verdict of(
      Mode mode,
      Collection<Row> rows,
      Collection<? extends JournaledNode> nodes,
      Collection<Fault> faults) {
    Proof proof = new Proof(rows, faults);
    Set<String> known = new HashSet<>();
    for (JournaledNode node : nodes) {
      KeyJournal.Content journal = node.journal();
      for (Entry entry : journal.calls()) {
        Call call = new Call(node.node(), node.endedNanos(), entry);
        proof.calls.computeIfAbsent(entry.eventId(), id -> new ArrayList<>()).add(call);
      }
      journal.transactions().forEach(transaction -> proof.judge(transaction, known));
    }
    rows.forEach(row -> proof.judge(row, known));
    proof.calls.forEach(proof::judge);
    if (mode == Mode.ORDERED_BY_KEY) {
      KeyHistory.check(rows.stream().map(Row::columns).toList(), nodes).violations.stream()
          // said above, for all modes
          .filter(each -> !each.startsWith("LOST") && !each.startsWith("NEVER COMMITTED"))
          .forEach(proof.verdict.disorder::add);
    }
    proof.verdict.events = rows.size();
    return proof.verdict;
  }

  private void judge(KeyJournal.Transaction transaction, Set<String> known) {
    known.addAll(transaction.eventIds());
    for (String id : transaction.eventIds()) {
      if (transaction.committed() != null && !rows.containsKey(id)) {
        verdict.lost.add(id + " was committed and is not in the table");
      } else if (transaction.rolledBack() && rows.containsKey(id)) {
        verdict.phantoms.add(id + " was rolled back and is in the table");
      }
    }
  }

  private void judge(Row row, Set<String> known) {
    List<Call> of = calls.getOrDefault(row.eventId, List.of());
    if (row.status == EventStatus.DEAD) {
      verdict.lost.add(row + " was given up");
    } else if (row.status != EventStatus.DONE || of.stream().noneMatch(c -> !c.isFailure())) {
      verdict.lost.add(row + " was not delivered");
    }
    if (!known.contains(row.eventId)) {
      verdict.phantoms.add(row + " is in the table, and nobody wrote it");
    }
    long failures = of.stream().filter(Call::isFailure).count();
    if (row.attempts > failures) {
      verdict.miscounted.add(row + " failed " + failures + " times only");
    }
  }

  private void judge(String eventId, List<Call> of) {
    if (!rows.containsKey(eventId)) {
      verdict.phantoms.add(eventId + " was delivered and is not in the table: " + of);
      return;
    }
    of.sort(Comparator.comparingLong(call -> call.entry.start()));
    for (int i = 1; i < of.size(); i++) {
      Call first = of.get(i - 1);
      if (!first.isFailure()) {
        explain(first, of.get(i));
      }
    }
  }

  private void explain(Call first, Call second) {
    faults.stream()
        .filter(f -> f.explains(first.node, end(first), second.entry.start(), AFTERMATH))
        .findFirst()
        .ifPresentOrElse(
            fault -> verdict.duplicates.merge(fault.what(), 1, Integer::sum),
            () -> verdict.unexplained.add(first + " and " + second));
  }

  private static long end(Call call) {
    return call.entry.end() == null ? call.nodeEnded : call.entry.end();
  }
}
