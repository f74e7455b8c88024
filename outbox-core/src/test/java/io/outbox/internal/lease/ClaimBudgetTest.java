package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClaimBudgetTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private static ClaimBudget served(int workers, long nanos) {
    ClaimBudget budget = new ClaimBudget(workers);
    for (int i = 0; i < 100; i++) {
      budget.served(nanos);
    }
    return budget;
  }

  @Test
  void atFirstItIsAGuess() {
    assertThat(new ClaimBudget(4).left(0, 0)).isEqualTo(200);
    assertThat(new ClaimBudget(500).left(0, 0)).isEqualTo(1_000);
  }

  @Test
  void thenItIsAboutTwoSecondsOfWork() {
    assertThat(served(4, MILLI).left(0, 0)).isBetween(7_000, 9_000);
    assertThat(served(4, 100 * MILLI).left(0, 0)).isBetween(70, 90);
  }

  @Test
  void slowListenersStillGetTheNextEventWithoutAWait() {
    assertThat(served(4, TimeUnit.MINUTES.toNanos(10)).left(0, 0)).isEqualTo(8);
  }

  @Test
  void anInstantListenerDoesNotOverflowIt() {
    assertThat(served(4, 0).left(0, 0)).isPositive();
    assertThat(served(Integer.MAX_VALUE / 4, 0).left(0, 0)).isPositive();
  }

  @Test
  void itFollowsChanges() {
    ClaimBudget budget = served(4, MILLI);
    for (int i = 0; i < 100; i++) {
      budget.served(100 * MILLI);
    }
    assertThat(budget.left(0, 0)).isBetween(70, 95);
  }

  @Test
  void whatIsHeldIsTakenOff() {
    ClaimBudget budget = new ClaimBudget(4);

    assertThat(budget.left(150, 100)).isEqualTo(50);
    assertThat(budget.left(200, 200)).isZero();
    assertThat(budget.left(1_000, 100)).isZero();
  }

  @Test
  void R14_howeverMuchIsHotTheColdSideGetsItsTurn() {
    ClaimBudget budget = served(4, TimeUnit.SECONDS.toNanos(1));

    assertThat(budget.left(1_000, 0)).isEqualTo(4);
    assertThat(budget.left(1_000, 3)).isEqualTo(1);
    assertThat(budget.left(1_000, 4)).isZero();
  }
}
