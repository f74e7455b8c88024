package io.outbox.benchmarks.contestant;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EntryTest {

  private static final int WAITING = 8;
  private static final int WRITTEN = 2;

  @ParameterizedTest
  @EnumSource
  void every_contestant_delivers_what_waits_and_what_is_written_once(Entry entry) throws Exception {
    ConcurrentLinkedQueue<Integer> delivered = new ConcurrentLinkedQueue<>();
    try (Database database = TestDatabase.POSTGRES.fresh();
        Contestant contestant = entry.on(setup(database))) {
      contestant.prepare();
      contestant.fillWaiting(0, WAITING, 200);
      contestant.start(delivered::add);
      awaitAll(contestant, delivered, WAITING);

      // At its defaults this one looks every ten seconds, which is too long for a test.
      int written = entry == Entry.DB_SCHEDULER_DEFAULTS ? 0 : WRITTEN;
      for (int n = WAITING; n < WAITING + written; n++) {
        Measured event = Measured.of(n, 200);
        contestant.transact(tx -> tx.publishAll(List.of(event)));
      }
      awaitAll(contestant, delivered, WAITING + written);
    }
  }

  private static void awaitAll(
      Contestant contestant, ConcurrentLinkedQueue<Integer> delivered, int events) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              assertThat(delivered)
                  .containsExactlyInAnyOrderElementsOf(IntStream.range(0, events).boxed().toList());
              assertThat(contestant.unfinished()).isZero();
            });
  }

  private static Setup setup(Database database) {
    return new Setup(
        TestDatabase.POSTGRES,
        database.jdbcUrl(),
        database.user(),
        database.password(),
        0,
        1,
        new CommitTimes());
  }
}
