package io.outbox.it;

import io.outbox.it.KeyOrder.Call;
import io.outbox.it.KeyOrder.Pause;
import io.outbox.it.KeyOrder.Written;
import io.outbox.model.EventStatus;
import io.outbox.spi.lanes.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts together what processes have in their journals and what is in the table. */
public final class KeyHistory {

  /** Reads the rows to give to {@link #check}. */
  public static final String EVENTS =
      "SELECT event_id, ordering_key, seq, status FROM outbox_event";

  private final Map<String, KeyJournal.Transaction> transactions = new HashMap<>();
  private final Map<String, Long> ended = new HashMap<>(); // of transactions without an answer
  private final List<Call> calls = new ArrayList<>();
  private final List<Pause> pauses = new ArrayList<>();
  private final List<Lane> givenBack = new ArrayList<>();

  /** Puts both together, and has the order judged. */
  public static KeyOrder check(
      List<List<Object>> rows, Collection<? extends JournaledNode> processes) {
    KeyHistory history = new KeyHistory();
    processes.forEach(history::add);
    List<Written> events = rows.stream().map(history::event).toList();
    return new KeyOrder(events, history.calls, history.pauses, history.givenBack);
  }

  private void add(JournaledNode process) {
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
              process.node(),
              call.thread(),
              call.epoch(),
              call.eventId(),
              call.start(),
              call.end() == null ? process.endedNanos() : call.end(),
              call.succeeded()));
    }
    pauses.addAll(process.pauses());
    givenBack.addAll(journal.givenBack());
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
