package io.outbox.testing.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.DeliveryMode;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The rules of delivery that can be seen from outside, with the real engine on your store or
 * dialect. The name of a test begins with its rule, R1 to R26 of the architecture. Tests of leases,
 * members and lanes are skipped for a store that has none.
 *
 * <p>A report goes to {@code target/delivery-rules}, or to the directory that the system property
 * {@code outbox.rules.report} names: each rule, whether it was shown, and by which test.
 */
@Timeout(300)
public abstract class DeliveryRulesContract extends EventRules {

  private static final int EVENTS = 100;

  protected DeliveryRulesContract() {}

  @Test
  protected void R1_anEventWhoseListenerThrowsAnErrorIsTriedAgain() {
    listener.failNext(1, () -> new AssertionError("this delivery was told to fail"));
    try (Outbox outbox = singleNode().build()) {
      String id = write(outbox);
      awaitFinished();
      assertThat(listener.deliveredIds()).containsExactly(id, id);
    }
    assertThat(dead()).isZero();
  }

  @Test
  protected void R1_anEventThatWasWrittenWhileNobodyDeliveredIsDeliveredAfterTheStart() {
    String id = writeCold(event().build());
    try (Outbox outbox = singleNode().build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactly(id);
  }

  @Test
  protected void R2_nothingThatIsRolledBackIsDelivered() {
    try (Outbox outbox = singleNode().build()) {
      tx.begin();
      outbox.writer().write(event().build());
      tx.rollback();
      String committed = write(outbox);
      awaitFinished();
      assertThat(listener.deliveredIds()).containsExactly(committed);
    }
  }

  @Test
  protected void R3_R9_withoutAFailureEachEventIsDeliveredAndCountedOnce() {
    List<String> ids = new ArrayList<>();
    try (Outbox outbox = singleNode().build()) {
      ids.addAll(write(outbox, EVENTS));
      ids.add(writeCold(event().build()));
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(metrics.successes()).isEqualTo(ids.size());
    assertThat(metrics.failures()).isZero();
  }

  @Test
  protected void R6_anEventThatFailsTooOftenEndsDeadAndAReplayGivesItANewLife() {
    listener.failNext(3);
    try (Outbox outbox = singleNode().build()) {
      String id = write(outbox);
      Await.until("the event to be dead", BOUND, () -> dead() == 1);
      assertThat(listener.count(id)).isEqualTo(3);

      replay(id);
      awaitFinished();
      assertThat(listener.count(id)).isEqualTo(4);
    }
    assertThat(dead()).isZero();
  }

  @Test
  protected void R13_writersDoNotWaitForAListener() {
    listener.block();
    List<String> ids = new ArrayList<>();
    try (Outbox outbox =
        singleNode().workerCount(1).hotQueueCapacity(1).coldQueueCapacity(1).build()) {
      for (int i = 0; i < 20; i++) {
        ids.add(write(outbox));
      }
      listener.release();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  protected void R14_aBacklogIsDeliveredWithoutAWaitBetweenItsBatches() {
    List<String> ids;
    try (Outbox writer = Outbox.writerOnly().txContext(tx).outboxStore(store()).build()) {
      ids = write(writer, EVENTS);
    }
    // with a wait between the batches it would take minutes
    try (Outbox outbox = singleNode().batchSize(10).intervalMs(20_000).build()) {
      assertThat(outbox.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  protected void R16_aWriteOutsideATransactionFails() {
    try (Outbox outbox = singleNode().build()) {
      EventEnvelope event = event().build();
      assertThatThrownBy(() -> outbox.writer().write(event))
          .isInstanceOf(IllegalStateException.class);
      List<OutboxEvent> written = ask(conn -> store().pollPending(conn, now(), Duration.ZERO, 10));
      assertThat(written).isEmpty();
    }
  }

  @Test
  protected void R22_aNodeOfAnotherModeDeliversNothing() {
    assumeTrue(
        store().members().map(members -> ask(members::isInstalled)).orElse(false),
        "the store does not know its nodes");
    requireLeases();
    RecordingListener other = new RecordingListener();
    try (Outbox first = multiNode("a").build()) {
      Await.until("the first node", BOUND, () -> delivers(DeliveryMode.MULTI_NODE));
      try (Outbox second = singleNode().listenerRegistry(listening(other)).build()) {
        String id = write(second);
        assertThat(first.isRunning()).isTrue();
        awaitFinished();
        assertThat(listener.deliveredIds()).containsExactly(id);
      }
    }
    assertThat(other.deliveredIds()).isEmpty();
  }

  private boolean delivers(DeliveryMode mode) {
    return ask(store().members().orElseThrow()::list).stream()
        .anyMatch(member -> member.delivers() && member.mode().equals(mode.name()));
  }

  @Test
  protected void R25_anEventWithoutAListenerWaitsForANodeThatHasOne() {
    requireLeases();
    String id;
    try (Outbox without = multiNode("a").listenerRegistry(new DefaultListenerRegistry()).build()) {
      id = write(without);
    }
    assertThat(dead()).isZero();
    try (Outbox with = multiNode("b").build()) {
      assertThat(with.isRunning()).isTrue();
      awaitFinished();
    }
    assertThat(listener.deliveredIds()).containsExactly(id);
  }
}
