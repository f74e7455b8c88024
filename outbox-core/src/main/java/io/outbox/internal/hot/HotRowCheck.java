package io.outbox.internal.hot;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Looks whether committed events are really there before they are delivered, many with one query:
 * for transactions that are rolled back to savepoints without anybody telling the outbox.
 */
public final class HotRowCheck {

  private static final Logger LOG = PrintableLogger.of(HotRowCheck.class);
  private static final int MAX_BATCH = 500;

  private final StoreSession session;
  private final BlockingQueue<Delivery> waiting;
  private final BiConsumer<Delivery, Boolean> answer;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private final EngineThread thread;

  /**
   * Creates a check.
   *
   * @param answer called with each delivery and whether its row is there
   */
  HotRowCheck(StoreSession session, int capacity, BiConsumer<Delivery, Boolean> answer) {
    this.session = session;
    this.waiting = new LinkedBlockingQueue<>(capacity);
    this.answer = answer;
    this.thread = new EngineThread("outbox-row-check-", "rows cannot be looked up", this::run);
  }

  void start() {
    thread.start();
  }

  boolean offer(Delivery delivery) {
    return !thread.isClosed() && waiting.offer(delivery);
  }

  /** Ends the check and returns what was not looked at. */
  List<Delivery> close() {
    thread.close();
    List<Delivery> left = new ArrayList<>();
    waiting.drainTo(left);
    return left;
  }

  private long run() throws InterruptedException {
    List<Delivery> batch = new ArrayList<>();
    Delivery first = waiting.poll(200, TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      waiting.drainTo(batch, MAX_BATCH - 1);
      check(batch);
    }
    return 0;
  }

  private void check(List<Delivery> batch) {
    try {
      Set<String> there = find(batch);
      batch.forEach(delivery -> answer.accept(delivery, there.contains(delivery.eventId())));
    } catch (Throwable e) {
      warning.log(() -> "rows cannot be looked up; the poller will deliver these events", e);
      batch.forEach(delivery -> answer.accept(delivery, false));
    }
  }

  private Set<String> find(List<Delivery> batch) {
    List<String> ids = batch.stream().map(Delivery::eventId).toList();
    return session.read(conn -> session.store().findExisting(conn, ids));
  }
}
