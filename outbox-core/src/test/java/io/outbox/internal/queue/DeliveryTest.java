package io.outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.fakes.Events;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTest {

  private static final Lease LEASE = new Lease("me", Events.CREATED, 5);

  @Test
  void aCommittedEventRefersToItsRowAsItWasInserted() {
    Delivery plain = Delivery.ofCommitted(Events.event("e"), null);
    assertThat(plain.ref()).isEqualTo(EventRef.unleased("e", 0));
    assertThat(plain.lockedAt()).isNull();
    assertThat(plain.source()).isEqualTo(QueuedEvent.Source.HOT);
    assertThat(plain.attempts()).isZero();

    Lease born = new Lease("me", Events.CREATED, Lease.BORN);
    Delivery leased = Delivery.ofCommitted(Events.event("e"), born);
    assertThat(leased.ref()).isEqualTo(new EventRef("e", 1, "me"));
    assertThat(leased.lockedAt()).isEqualTo(Events.CREATED);
  }

  @Test
  void aPolledEventRefersToItsRowAsItWasRead() {
    Delivery delivery =
        Delivery.ofRow(
            Events.rowBuilder("e").lease(LEASE).attempts(2).starts(1).build(), Events.event("e"));

    assertThat(delivery.ref()).isEqualTo(new EventRef("e", 5, "me"));
    assertThat(delivery.lockedAt()).isEqualTo(Events.CREATED);
    assertThat(delivery.source()).isEqualTo(QueuedEvent.Source.COLD);
    assertThat(delivery.attempts()).isEqualTo(2);
    assertThat(delivery.starts()).isEqualTo(1);
  }

  @Test
  void anEventQueuedByHandRefersToWhateverIsThere() {
    QueuedEvent queued = new QueuedEvent(Events.event("e"), QueuedEvent.Source.COLD, 3);
    Delivery delivery = Delivery.ofQueued(queued);

    assertThat(delivery.ref()).isEqualTo(EventRef.any("e"));
    assertThat(delivery.attempts()).isEqualTo(3);
    assertThat(delivery.source()).isEqualTo(QueuedEvent.Source.COLD);
  }

  @Test
  void R3_onlyAWriteOfThisProcessOrTheFirstLeaseIsAFirstDelivery() {
    EventEnvelope event = Events.event("e");
    assertThat(Delivery.ofCommitted(event, null).isFirstDelivery()).isTrue();
    assertThat(polled(new Lease("me", Events.CREATED, Lease.BORN)).isFirstDelivery()).isTrue();

    // A process that died may have begun it.
    assertThat(polled(new Lease("me", Events.CREATED, 2)).isFirstDelivery()).isFalse();
    assertThat(polled(null).isFirstDelivery()).isFalse();
    QueuedEvent byHand = new QueuedEvent(event, QueuedEvent.Source.HOT, 0);
    assertThat(Delivery.ofQueued(byHand).isFirstDelivery()).isFalse();
  }

  private static Delivery polled(Lease lease) {
    return Delivery.ofRow(Events.rowBuilder("e").lease(lease).claims(1).build(), Events.event("e"));
  }

  @Test
  void itIsStartedOrDroppedOnce() {
    Delivery started = Delivery.ofCommitted(Events.event("e"), null);
    assertThat(started.start()).isTrue();
    assertThat(started.start()).isFalse();
    assertThat(started.drop()).isFalse();

    Delivery dropped = Delivery.ofCommitted(Events.event("e"), null);
    assertThat(dropped.drop()).isTrue();
    assertThat(dropped.drop()).isFalse();
    assertThat(dropped.start()).isFalse();
  }

  @Test
  void R5_whatWasDroppedAdoptsNothing() {
    Delivery dropped = Delivery.ofCommitted(Events.event("e"), null);
    dropped.drop();

    assertThat(dropped.adopt(Events.row("e", LEASE))).isFalse();
  }

  @ParameterizedTest(name = "claimed {0} times: {1}")
  @CsvSource({"0, false", "1, false", "3, false", "4, true", "100, true"})
  void R7_threeClaimsWithoutAnOutcomeMakeTheFourthSuspect(int claims, boolean suspect) {
    Delivery delivery =
        Delivery.ofRow(Events.rowBuilder("e").claims(claims).build(), Events.event("e"));

    assertThat(delivery.isSuspect()).isEqualTo(suspect);
  }

  @Test
  void R13_headersCountToo() {
    EventEnvelope.Builder event = EventEnvelope.builder("T").payloadJson("{}");
    long without = Delivery.bytesOf(event.build());
    event.header("h", "v".repeat(60_000));

    assertThat(Delivery.bytesOf(event.build()) - without).isBetween(60_000L, 61_000L);
  }

  @Test
  void R13_itsSizeIsThatOfItsPayloadAndSomeMore() {
    assertThat(Delivery.bytesOf(Events.eventOfSize("e", 10_000))).isBetween(10_001L, 12_000L);
  }

  @Test
  void R17_aQueuedEventIsComplete() {
    assertThatNullPointerException()
        .isThrownBy(() -> new QueuedEvent(null, QueuedEvent.Source.HOT, 0));
    assertThatNullPointerException().isThrownBy(() -> new QueuedEvent(Events.event("e"), null, 0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new QueuedEvent(Events.event("e"), QueuedEvent.Source.HOT, -1));
  }
}
