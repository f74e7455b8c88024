package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.it.KeyOrder.Call;
import io.outbox.it.KeyOrder.Pause;
import io.outbox.it.KeyOrder.Written;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finds each violation in a history that has it, and none in one that has none. */
class KeyOrderTest {

  private static final String KEY = "key";
  private static final long NEVER = Long.MAX_VALUE;

  private final List<Written> events = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final List<Pause> pauses = new ArrayList<>();
  private final List<Lane> givenBack = new ArrayList<>();
  private long now = 100;

  private void write(long seq, long begun, long committed) {
    events.add(new Written(KEY, seq, KEY + seq, begun, committed, false, false));
  }

  /** Serialised, though their times do not show it. */
  private void writeLocked(long... seqs) {
    for (long seq : seqs) {
      events.add(new Written(KEY, seq, KEY + seq, 0, 50 + seq, true, false));
    }
  }

  private Call call(String node, long epoch, long seq, long start, long end, boolean succeeded) {
    Call call = new Call(node, node + "-thread", epoch, KEY + seq, start, end, succeeded);
    calls.add(call);
    return call;
  }

  /** One after the other, all of them successful. */
  private void deliver(String node, long epoch, long... seqs) {
    for (long seq : seqs) {
      call(node, epoch, seq, now, now + 5, true);
      now += 10;
    }
  }

  private void fail(String node, long epoch, long seq) {
    call(node, epoch, seq, now, now + 5, false);
    now += 10;
  }

  private List<String> kinds() {
    return new KeyOrder(events, calls, pauses, givenBack)
        .violations.stream().map(text -> text.replaceAll(" (Call|Written)\\[.*", "")).toList();
  }

  private void assertHolds() {
    KeyOrder order = new KeyOrder(events, calls, pauses, givenBack);
    assertThat(order.violations).isEmpty();
  }

  @Test
  void allInOrder() {
    writeLocked(1, 2, 3);
    deliver("a", 1, 1, 2, 3);
    assertHolds();
  }

  @Test
  void keysDoNotWaitForEachOther() {
    writeLocked(1, 2);
    events.add(new Written("other", 3, "other", 0, 9, true, false));
    call("a", 1, 1, 100, 200, true);
    calls.add(new Call("a", "a-2", 1, "other", 150, 160, true));
    call("a", 1, 2, 200, 300, true);
    assertHolds();
  }

  @Test
  void anEventThatWasNeverCalledIsLost() {
    writeLocked(1, 2);
    deliver("a", 1, 1);
    assertThat(kinds()).containsExactly("LOST");
  }

  @Test
  void anEventThatNeverSucceededIsLost() {
    writeLocked(1);
    fail("a", 1, 1);
    assertThat(kinds()).containsExactly("LOST");
  }

  @Test
  void whatIsNotInTheTableMustNotBeDelivered() {
    writeLocked(1);
    deliver("a", 1, 1, 2);
    assertThat(kinds()).containsExactly("NEVER COMMITTED");
  }

  @Test
  void twoCallsOfAKeyAtOnce() {
    write(1, 0, 10);
    write(2, 5, 15);
    call("a", 1, 1, 100, 200, true);
    call("a", 1, 2, 199, 210, true);
    assertThat(kinds()).containsExactly("TWO AT ONCE");
  }

  @Test
  void twoCallsOfAnEventAtOnce() {
    writeLocked(1);
    call("a", 1, 1, 100, 200, false);
    call("b", 2, 1, 110, 120, true);
    assertThat(kinds()).containsExactly("TWO AT ONCE");
  }

  @Test
  void aLongCallIsNotForgottenBehindAShortOne() {
    writeLocked(1);
    call("a", 1, 1, 100, 200, false);
    call("a", 1, 1, 110, 120, false);
    call("a", 1, 1, 130, 140, true);
    assertThat(kinds()).containsExactly("TWO AT ONCE", "TWO AT ONCE");
  }

  @Test
  void aLaterEventFirst() {
    writeLocked(1, 2);
    deliver("a", 1, 2, 1);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void aLaterEventWhileTheFirstIsRetried() {
    writeLocked(1, 2);
    fail("a", 1, 1);
    fail("a", 1, 2);
    deliver("a", 1, 1, 2);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void aRetryHoldsTheKey() {
    writeLocked(1, 2);
    fail("a", 1, 1);
    fail("a", 1, 1);
    deliver("a", 1, 1, 2);
    assertHolds();
  }

  @Test
  void theKeyGoesOnAfterADeadEvent() {
    events.add(new Written(KEY, 1, KEY + 1, 0, 10, true, true));
    writeLocked(2);
    fail("a", 1, 1);
    fail("a", 1, 1);
    deliver("a", 1, 2);
    assertHolds();
  }

  @Test
  void theKeyDoesNotGoOnBeforeAnEventIsDead() {
    events.add(new Written(KEY, 1, KEY + 1, 0, 10, true, true));
    writeLocked(2);
    fail("a", 1, 1);
    deliver("a", 1, 2);
    fail("a", 1, 1);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void transactionsThatOverlapMayBeDeliveredInEitherOrder() {
    write(1, 0, 20);
    write(2, 5, 10);
    deliver("a", 1, 2, 1);
    assertHolds();
  }

  @Test
  void transactionsOneAfterTheOtherMayNot() {
    write(1, 0, 10);
    write(2, 10, 20);
    deliver("a", 1, 2, 1);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void eventsOfOneTransactionMayNot() {
    write(1, 0, 10);
    write(2, 0, 10);
    deliver("a", 1, 2, 1);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void whatIsLateMayBePassed() {
    write(1, 0, 20);
    write(2, 5, 10);
    write(3, 30, 40);
    deliver("a", 1, 2, 3, 1);
    assertHolds();
  }

  @Test
  void whatIsNotLateMayNotBePassed() {
    write(1, 0, 20);
    write(2, 5, 10);
    write(3, 30, 40);
    deliver("a", 1, 1, 3, 2);
    assertThat(kinds()).containsExactly("OUT OF ORDER");
  }

  @Test
  void aWriterThatLocksDoesNotWaitForOneThatDoesNot() {
    write(1, 0, 90);
    writeLocked(2, 3);
    deliver("a", 1, 2, 3, 1);
    assertHolds();
  }

  @Test
  void anOwnerDoesNotRepeatWhatItHasDone() {
    writeLocked(1, 2);
    deliver("a", 1, 1, 1, 2);
    assertThat(kinds()).containsExactly("REPEATED");
  }

  @Test
  void theNextOwnerBeginsWhereTheDatabaseSays() {
    writeLocked(1, 2, 3);
    deliver("a", 1, 1, 2);
    deliver("b", 2, 1, 2, 3);
    assertHolds();
  }

  @Test
  void theNextOwnerDoesNotLeaveOutWhatFollowsARepeat() {
    writeLocked(1, 2, 3);
    deliver("a", 1, 1, 2);
    deliver("b", 2, 1, 3);
    assertThat(kinds()).containsExactly("OUT OF ORDER", "NOT REPEATED");
  }

  @Test
  void theNextOwnerDoesNotEndWithARepeat() {
    writeLocked(1, 2);
    deliver("a", 1, 1, 2);
    deliver("b", 2, 1);
    assertThat(kinds()).containsExactly("NOT REPEATED");
  }

  @Test
  void theNextOwnerRetriesInOrder() {
    writeLocked(1, 2, 3);
    deliver("a", 1, 1, 2);
    fail("b", 2, 1);
    deliver("b", 2, 2);
    deliver("b", 2, 1, 2, 3);
    assertThat(kinds()).contains("OUT OF ORDER");
  }

  @Test
  void whatWasGivenBackIsNotRepeated() {
    writeLocked(1, 2);
    givenBack.add(new Lane(EventKey.named(KEY).lane(), 1));
    deliver("a", 1, 1);
    deliver("b", 2, 1, 2);
    assertThat(kinds()).containsExactly("REPEATED");
  }

  @Test
  void aKilledCallIsRepeated() {
    writeLocked(1, 2);
    call("a", 1, 1, 100, 150, false);
    now = 200;
    deliver("b", 2, 1, 2);
    assertHolds();
  }

  @Test
  void aFormerOwnerBeginsNothing() {
    writeLocked(1, 2, 3);
    deliver("b", 2, 1);
    deliver("a", 1, 2);
    deliver("b", 2, 2, 3);
    assertThat(kinds()).containsExactly("TOO LATE");
  }

  @Test
  void whatRanInAStoppedProcessMayOverlap() {
    writeLocked(1, 2);
    pauses.add(new Pause("a", 110, 500));
    call("a", 1, 1, 100, 510, true);
    now = 300;
    deliver("b", 2, 1, 2);
    assertHolds();
  }

  @Test
  void whatRanInAStoppedProcessDoesNotCountForTheNextOwner() {
    writeLocked(1, 2);
    pauses.add(new Pause("a", 110, 500));
    call("a", 1, 1, 100, 510, true);
    now = 300;
    fail("b", 2, 1);
    now = 600;
    deliver("b", 2, 2, 1, 2);
    assertThat(kinds()).containsExactly("OUT OF ORDER", "REPEATED");
  }

  @Test
  void whatAStoppedProcessBeginsAfterwardsMayNotOverlap() {
    writeLocked(1, 2);
    pauses.add(new Pause("a", 110, 500));
    call("a", 1, 1, 100, 510, true);
    call("b", 2, 1, 300, 400, true);
    call("b", 2, 2, 480, 600, true);
    call("a", 1, 2, 520, 530, true);
    assertThat(kinds()).containsExactlyInAnyOrder("TWO AT ONCE", "TOO LATE");
  }

  @Test
  void aThreadThatWasOnItsWayIntoTheListenerIsExcusedOnce() {
    writeLocked(1, 2);
    pauses.add(new Pause("a", 110, 500));
    call("b", 2, 1, 300, 520, true);
    call("a", 1, 1, 510, 530, true);
    call("b", 2, 2, 540, 560, true);
    assertHolds();
    call("a", 1, 2, 550, 570, true);
    assertThat(kinds()).containsExactlyInAnyOrder("TWO AT ONCE", "TOO LATE");
  }

  @Test
  void otherProcessesAreNotExcused() {
    writeLocked(1);
    pauses.add(new Pause("c", 110, 500));
    call("a", 1, 1, 100, 510, true);
    call("b", 2, 1, 300, 310, true);
    assertThat(kinds()).containsExactly("TWO AT ONCE");
  }

  @Test
  void figures() {
    write(1, 0, 20);
    write(2, 5, 10);
    write(3, NEVER - 1, NEVER);
    deliver("a", 1, 1, 2);
    fail("a", 1, 3);
    deliver("b", 2, 2, 3);
    KeyOrder order = new KeyOrder(events, calls, pauses, givenBack);
    assertThat(order.repeats()).isEqualTo(1);
    assertThat(order.summary())
        .isEqualTo("3 events of 1 keys (1 late), 5 calls, 1 not done, 1 repeats");
    assertHolds();
  }
}
