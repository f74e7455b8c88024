package io.outbox.it;

import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.SinglesPage;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** A listener is down, and very many keys wait for it. */
@Timeout(600)
class OutageBesideManyKeysTest {

  private static final int KEYS = Integer.getInteger("outbox.outage.keys", 20_000);
  private static final Duration MEASURED = Duration.ofSeconds(6);
  private static final int MAX_ROWS_PER_SECOND = 2_000;

  private final AtomicLong read = new AtomicLong(); // rows, and keys that were passed
  private final AtomicBoolean down = new AtomicBoolean(true);

  private static EventEnvelope event(String type, String key) {
    return EventEnvelope.builder(type).orderingKey(key).payloadJson("{}").build();
  }

  @EachServer
  void R12_whatWaitsForAListenerThatIsDownIsNotReadAgainAndAgain(TestDatabase kind)
      throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      for (int from = 0; from < KEYS; from += 1000) {
        List<EventEnvelope> some =
            IntStream.range(from, Math.min(KEYS, from + 1000))
                .mapToObj(n -> event(Scenario.TYPE, "key-" + n))
                .toList();
        scenario.write(scenario.coldWriter(), some);
      }
      scenario.deliveries.then(
          event -> {
            if (down.get()) {
              throw new OutageException("down");
            }
            return DispatchResult.done();
          });
      scenario.registry.register("Other", event -> DispatchResult.done());
      Outbox outbox =
          scenario.start(scenario.orderedByKey().outboxStore(counted(scenario).store()));
      await().until(() -> scenario.deliveries.count() > 4); // trials, too; the start is over

      // What the start read reaches PostgreSQL's counters up to a minute later.
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> readsPerSecond(scenario, kind) < MAX_ROWS_PER_SECOND);

      // Other listeners go on: what is written here, and what is found in the table.
      String own = scenario.write(outbox.writer(), event("Other", "other"));
      String foreign = scenario.write(scenario.coldWriter(), event("Other", "another"));
      scenario.awaitStatus(own, EventStatus.DONE);
      scenario.awaitStatus(foreign, EventStatus.DONE);

      down.set(false);
      await()
          .atMost(Duration.ofSeconds(180))
          .until(scenario::counts, Map.of(EventStatus.DONE, KEYS + 2)::equals);
    }
  }

  /** Of the engine or of the database, whichever read more for some seconds. */
  private double readsPerSecond(Scenario scenario, TestDatabase kind) {
    long before = read.get();
    long tuples = tuples(scenario, kind);
    long start = System.nanoTime();
    await()
        .atMost(MEASURED.multipliedBy(10))
        .until(() -> System.nanoTime() - start > MEASURED.toNanos());
    double seconds = (System.nanoTime() - start) / 1e9;
    double perSecond = (read.get() - before) / seconds;
    double tuplesPerSecond = (tuples(scenario, kind) - tuples) / seconds;
    System.out.printf(
        "%s: %d keys wait, %.0f rows and keys per second, by the database %.0f%n",
        kind, KEYS, perSecond, tuplesPerSecond);
    return Math.max(perSecond, tuplesPerSecond);
  }

  private LaneTap counted(Scenario scenario) {
    LaneTap tap = new LaneTap(scenario.store);
    for (String method : List.of("scan", "read")) {
      tap.lanes.on(
          method,
          call -> {
            KeyPage page = (KeyPage) call.proceed();
            read.addAndGet(page.rows().size() + page.keys());
            return page;
          });
    }
    tap.lanes.on(
        "singles",
        call -> {
          Optional<?> page = (Optional<?>) call.proceed();
          page.ifPresent(found -> read.addAndGet(((SinglesPage) found).rows().size()));
          return page;
        });
    tap.lanes.on(
        "due",
        call -> {
          DuePage due = (DuePage) call.proceed();
          read.addAndGet(due.events().size());
          return due;
        });
    return tap;
  }

  /** Rows and index entries of the table that were read; 0 where the server counts for all. */
  private static long tuples(Scenario scenario, TestDatabase kind) {
    if (kind != TestDatabase.POSTGRES) {
      return 0;
    }
    return ((Number)
            scenario
                .query(
                    "SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint"
                        + " FROM pg_stat_user_tables WHERE relname = 'outbox_event'")
                .get(0)
                .get(0))
        .longValue();
  }
}
