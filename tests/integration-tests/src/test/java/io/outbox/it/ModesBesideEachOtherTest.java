package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.Member;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;

/**
 * R22: one mode delivers from a table at a time, and a second process in a mode for one is said.
 */
@Timeout(300)
class ModesBesideEachOtherTest {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static EventEnvelope event(int n) {
    return EventEnvelope.builder(Scenario.TYPE)
        .orderingKey("key " + n % 20)
        .payloadJson(Integer.toString(n))
        .build();
  }

  private static Supplier<Outbox> multiNode(Scenario scenario) {
    return () -> scenario.start(scenario.multiNode(LEASE).intervalMs(50));
  }

  private static Supplier<Outbox> orderedByKey(Scenario scenario) {
    return () -> scenario.start(scenario.orderedByKey().intervalMs(50));
  }

  private static List<Kind> conditions(Outbox outbox) {
    return outbox.conditions().stream().map(Condition::kind).toList();
  }

  private static List<Member> members(Scenario scenario) {
    return OutboxOperator.of(scenario.connections, scenario.store).members();
  }

  private static void assertEachOnce(Scenario scenario, int count) {
    assertThat(scenario.deliveries.repeated()).isEmpty();
    assertThat(scenario.deliveries.count()).isEqualTo(count);
  }

  @EachDatabase
  void R22_multiNodeAndOrderedByKeyOnOneTableDeliverNothingTwice(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(
          event -> {
            Thread.sleep(2); // for the other node to come in between
            return DispatchResult.done();
          });
      Outbox first = multiNode(scenario).get();
      await().atMost(PATIENCE).until(() -> !members(scenario).isEmpty());
      Outbox second = orderedByKey(scenario).get();
      for (int n = 0; n < 300; n++) {
        scenario.write((n % 2 == 0 ? first : second).writer(), event(n));
      }
      scenario.awaitFinished(PATIENCE);

      assertEachOnce(scenario, 300);
      assertThat(conditions(first)).isEmpty();
      assertThat(conditions(second)).containsExactly(Kind.WAITS_FOR_OTHER_MODE);
      assertThat(members(scenario))
          .extracting(Member::mode, Member::delivers)
          .containsExactly(tuple("MULTI_NODE", true), tuple("ORDERED_BY_KEY", false));
    }
  }

  @EachDatabase
  void R22_aNodeThatWaitsWritesAndNothingOfItsOwnIsLeased(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox first = orderedByKey(scenario).get();
      Outbox second = multiNode(scenario).get();
      first.stop(); // nobody delivers, and the next look is a moment away
      String id = scenario.write(second.writer(), event(1));
      Object leasedBy = scenario.column("locked_by", id);
      scenario.awaitFinished(PATIENCE); // by the node that waited

      assertThat(leasedBy == null || conditions(second).isEmpty()).isTrue();
      assertEachOnce(scenario, 1);
      await().until(() -> conditions(second).isEmpty());
    }
  }

  @EachDatabase
  void R22_aRollingDeploymentCanChangeTheModeAndBack(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      List<Outbox> nodes = new ArrayList<>();
      Supplier<Outbox> multiNode = multiNode(scenario);
      Supplier<Outbox> orderedByKey = orderedByKey(scenario);
      nodes.add(multiNode.get());
      nodes.add(multiNode.get());
      AtomicInteger written = new AtomicInteger();
      CountDownLatch end = new CountDownLatch(1);
      Thread writer =
          new Thread(
              () -> {
                while (end.getCount() > 0) {
                  int n = written.getAndIncrement();
                  Outbox any;
                  synchronized (nodes) {
                    any = nodes.get(n % nodes.size());
                  }
                  scenario.write(any.writer(), event(n));
                }
              });
      writer.start();
      for (Supplier<Outbox> mode : List.of(orderedByKey, multiNode)) {
        for (int i = 0; i < 2; i++) {
          int before = scenario.deliveries.count();
          Outbox old;
          Outbox next = mode.get();
          synchronized (nodes) {
            nodes.add(next);
            old = nodes.remove(0);
          }
          old.close();
          await().atMost(PATIENCE).until(() -> scenario.deliveries.count() > before + 20);
        }
        assertThat(nodes).allSatisfy(node -> await().until(() -> conditions(node).isEmpty()));
      }
      end.countDown();
      writer.join();
      scenario.awaitFinished(PATIENCE);

      assertEachOnce(scenario, written.get());
    }
  }

  @EachDatabase
  void R22_aSecondProcessInAModeForOneIsNoticedWithinSeconds(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox first = scenario.start(scenario.singleNode());
      Outbox second = scenario.start(scenario.singleNode());

      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  conditions(first).contains(Kind.SECOND_PROCESS)
                      && conditions(second).contains(Kind.SECOND_PROCESS));
      second.close();
      await().atMost(Duration.ofSeconds(60)).until(() -> conditions(first).isEmpty());
    }
  }

  @EachDatabase
  void withoutTheListOfNodesEventsAreDeliveredAsBefore(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.update("DROP TABLE outbox_event_member");
      Outbox outbox = scenario.start(scenario.singleNode());
      String id = scenario.write(outbox.writer(), event(1));
      scenario.awaitStatus(id, EventStatus.DONE);

      assertThat(outbox.conditions()).isEmpty();
    }
  }
}
