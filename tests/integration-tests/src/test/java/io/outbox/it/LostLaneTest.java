package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;

/** A lane becomes another node's while this node takes itself for the owner. */
@Timeout(300)
class LostLaneTest {

  private static final Duration LEASE = Duration.ofSeconds(10);

  @EachDatabase
  void R23_aLaneThatAnotherNodeHasIsGivenUpAtOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      AtomicBoolean stolen = new AtomicBoolean();
      scenario.deliveries.then(
          event -> {
            if (stolen.compareAndSet(false, true)) {
              scenario.update(
                  "UPDATE outbox_event_lane SET epoch = epoch + 1, owner = 'another',"
                      + " owned_until = '2100-01-01 00:00:00'");
            }
            return DispatchResult.done();
          });
      LaneTap tap = new LaneTap(scenario.store);
      scenario.start(
          scenario.orderedByKey().outboxStore(tap.store()).laneLease(LEASE).intervalMs(50));
      scenario.write(
          scenario.coldWriter(),
          EventEnvelope.builder(Scenario.TYPE).orderingKey("key").payloadJson("{}").build());
      await().until(stolen::get);
      int beats = tap.lanes.calls("beat");
      await().until(() -> tap.lanes.calls("beat") > beats + 1);
      assertThat(scenario.deliveries.count()).as("calls while another node has the lane").isOne();

      scenario.update("UPDATE outbox_event_lane SET owner = NULL, owned_until = NULL");
      scenario.awaitAllDone(1);
      assertThat(scenario.deliveries.count()).as("calls").isEqualTo(2);
    }
  }

  /** As after a restore, or by hand: the owner is the same, its epoch is not. */
  @EachDatabase
  void R23_anEpochThatIsOverIsNotedAtTheFirstOutcome(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      AtomicBoolean stolen = new AtomicBoolean();
      scenario.deliveries.then(
          event -> {
            if (stolen.compareAndSet(false, true)) {
              scenario.update("UPDATE outbox_event_lane SET epoch = epoch + 1");
            }
            return DispatchResult.done();
          });
      scenario.start(scenario.orderedByKey().laneLease(LEASE).intervalMs(50));
      scenario.write(
          scenario.coldWriter(),
          EventEnvelope.builder(Scenario.TYPE).orderingKey("key").payloadJson("{}").build());
      scenario.awaitAllDone(1);
      assertThat(scenario.deliveries.count()).as("calls").isEqualTo(2);
    }
  }
}
