package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * R1 and R3 by key, on three JVMs: in the middle one is killed, one is added, and one is stopped
 * gently. What is proven is said in {@link KeyOrder}.
 */
class OrderedByKeyClusterTest {

  private static final int EVENTS = 20_000;
  private static final int KEYS = 500;

  @TempDir Path directory;

  @EachServer
  void R1_R3_theOrderOfEachKeyIsKeptWhileNodesDieJoinAndLeave(TestDatabase kind) throws Exception {
    run(kind, EVENTS, KEYS, 1);
  }

  @RepeatedTest(3)
  @Tag("soak")
  void R1_R3_soakOnPostgres() throws Exception {
    run(TestDatabase.POSTGRES, 5 * EVENTS, 4 * KEYS, 5);
  }

  @RepeatedTest(3)
  @Tag("soak")
  void R1_R3_soakOnMariaDb() throws Exception {
    run(TestDatabase.MARIADB, 5 * EVENTS, 4 * KEYS, 5);
  }

  /**
   * @param rounds how often one is killed, one is added and one is stopped
   */
  private void run(TestDatabase kind, int events, int keys, int rounds) throws Exception {
    try (OrderedCluster cluster = new OrderedCluster(kind, directory, keys)) {
      for (int i = 0; i < 3; i++) {
        cluster.start();
      }
      int step = events / (3 * rounds + 1);
      for (int done = 0; done + 3 * step < events; done += 3 * step) {
        cluster.awaitDone(done + step);
        cluster.any().kill();
        cluster.awaitDone(done + 2 * step);
        cluster.start();
        cluster.awaitDone(done + 3 * step);
        cluster.any().end();
        if (done + 6 * step < events) {
          cluster.start();
        }
      }
      cluster.finish(events);
      assertThat(cluster.takeovers()).as("lanes of dead nodes").isPositive();
    }
  }
}
