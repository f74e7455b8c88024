package io.outbox.it;

import io.outbox.it.KeyOrder.Call;
import io.outbox.it.KeyOrder.Pause;
import io.outbox.it.KeyOrder.Written;
import io.outbox.model.EventStatus;
import io.outbox.model.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts together what processes have in their journals and what is in the table. */
final class KeyHistory {

  private final Map<String, KeyJournal.Transaction> transactions = new HashMap<>();
  private final Map<String, Long> ended = new HashMap<>(); // of transactions without an answer
  private final List<Call> calls = new ArrayList<>();
  private final List<Pause> pauses = new ArrayList<>();
  private final List<Lane> givenBack = new ArrayList<>();

  static KeyOrder check(Scenario scenario, Collection<OrderedProcess> processes) {
    KeyHistory history = new KeyHistory();
    processes.forEach(history::add);
    return new KeyOrder(history.events(scenario), history.calls, history.pauses, history.givenBack);
  }

  private void add(OrderedProcess process) {
    KeyJournal.Content journal = process.journal();
    for (KeyJournal.Transaction transaction : journal.transactions()) {
      for (String id : transaction.eventIds()) {
        transactions.put(id, transaction);
        ended.put(id, process.endedNanos());
      }
    }
    for (KeyJournal.Entry call : journal.calls()) {
      calls.add(
          new Call(
              process.node,
              call.thread(),
              call.epoch(),
              call.eventId(),
              call.start(),
              call.end() == null ? process.endedNanos() : call.end(),
              call.succeeded()));
    }
    pauses.addAll(process.pauses);
    givenBack.addAll(journal.givenBack());
  }

  private List<Written> events(Scenario scenario) {
    return scenario.query("SELECT event_id, ordering_key, seq, status FROM outbox_event").stream()
        .map(this::event)
        .toList();
  }

  /** What the test wrote itself it wrote in one thread, before anything else happened. */
  private Written event(List<Object> row) {
    String id = (String) row.get(0);
    KeyJournal.Transaction transaction = transactions.get(id);
    boolean known = transaction != null && transaction.committed() != null;
    return new Written(
        (String) row.get(1),
        ((Number) row.get(2)).longValue(),
        id,
        transaction == null ? Long.MIN_VALUE : transaction.begun(),
        known ? transaction.committed() : ended.getOrDefault(id, Long.MIN_VALUE),
        transaction == null || transaction.locked(),
        ((Number) row.get(3)).intValue() == EventStatus.DEAD.code());
  }
}
