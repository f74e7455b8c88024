package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.it.SubscribedProcess.Death;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM that ends in the middle of an expansion: every subscription gets every event, and there is
 * one copy of each.
 */
@Timeout(300)
class KilledExpansionTest {

  private static final int EVENTS = 300; // several transactions of copies for each process
  private static final Duration LEASE = Duration.ofMillis(1500);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path directory;

  @EachServer
  void R1_anExpansionThatIsKilledIsRepeatedAndDoublesNoCopy(TestDatabase kind) throws Exception {
    List<SubscribedProcess> processes = new ArrayList<>();
    try (Scenario scenario = Scenario.on(kind)) {
      for (Death death : Death.values()) {
        if (death != Death.NEVER) {
          write(scenario);
          SubscribedProcess process = start(scenario, processes, death);
          Await.until("a process to end", PATIENCE, () -> !process.isAlive());
        }
      }
      SubscribedProcess last = start(scenario, processes, Death.NEVER);
      scenario.awaitFinished(PATIENCE);
      last.end();
      assertOneCopyEach(scenario);
      assertEachDelivered(scenario, processes);
    } catch (AssertionError e) {
      processes.forEach(process -> System.out.println(process.output()));
      throw e;
    } finally {
      processes.forEach(SubscribedProcess::close);
    }
  }

  private static void write(Scenario scenario) {
    scenario.write(
        scenario.coldWriter(),
        IntStream.range(0, EVENTS)
            .mapToObj(n -> EventEnvelope.ofJson(SubscribedProcess.TYPE, "{}"))
            .toList());
  }

  private SubscribedProcess start(Scenario scenario, List<SubscribedProcess> all, Death death)
      throws Exception {
    SubscribedProcess process = new SubscribedProcess(scenario.database, directory, LEASE, death);
    all.add(process);
    return process;
  }

  private static void assertOneCopyEach(Scenario scenario) {
    int events = 3 * EVENTS;
    assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE status <> 1")).isEmpty();
    assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts > 0")).isEmpty();
    assertThat(scenario.query("SELECT event_id FROM outbox_event")).hasSize(4 * events);
  }

  private static void assertEachDelivered(Scenario scenario, List<SubscribedProcess> processes) {
    Set<String> delivered = new HashSet<>();
    for (SubscribedProcess process : processes) {
      List<String> lines = process.delivered();
      assertThat(lines).as("deliveries of one process").doesNotHaveDuplicates();
      delivered.addAll(lines);
    }
    Set<String> wanted = new HashSet<>();
    for (List<Object> row :
        scenario.query("SELECT event_id FROM outbox_event WHERE event_id NOT LIKE '%~%'")) {
      SubscribedProcess.NAMES.forEach(name -> wanted.add(name + " " + row.get(0)));
    }
    assertThat(wanted).hasSize(9 * EVENTS);
    assertThat(delivered).isEqualTo(wanted);
  }
}
