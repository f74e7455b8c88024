package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyReadsTest implements KeyReads.Feed {

  private static final EventKey KEY = EventKey.named("key");

  private final List<String> asked = new ArrayList<>();
  private final KeyReads reads = new KeyReads(this);
  private final KeyReads.OfKey of = new KeyReads.OfKey(KEY);

  @Override
  public boolean readFirst(EventKey key) {
    return asked.add("first");
  }

  @Override
  public void readAnyway(EventKey key) {
    asked.add("anyway");
  }

  @Override
  public void readOn(EventKey key, long afterSeq) {
    asked.add("after " + afterSeq);
  }

  @Override
  public boolean isWanted(EventKey key) {
    return false;
  }

  @Override
  public void forget(EventKey key) {
    asked.add("forget");
  }

  @Override
  public void readAt(EventKey key, Instant at) {
    asked.add("at " + at);
  }

  @Override
  public void dropped(KeyedDelivery delivery) {}

  @Test
  void moreIsAskedForOnceWhenHalfOfAWindowIsLeft() {
    reads.started();
    of.accepted(7);
    reads.ended(of, true, 4, 3);
    assertThat(asked).isEmpty();

    reads.goOn(of, 2);
    reads.goOn(of, 1);
    assertThat(asked).containsExactly("after 7");
    assertThat(of.isUnderWay()).isTrue();
  }

  @Test
  void whereNothingIsLeftInTheTableNothingIsAskedFor() {
    reads.started();
    reads.ended(of, false, 4, 0);

    assertThat(asked).isEmpty();
  }

  @Test
  void whatIsCommittedDuringAReadIsReadAfterIt() {
    reads.committed(of, 0);
    reads.started();
    reads.committed(of, 0);
    assertThat(asked).containsExactly("after 0");

    of.accepted(1);
    reads.ended(of, false, 4, 1);
    assertThat(asked).containsExactly("after 0", "after 1");
  }

  @Test
  void aReadOfAKeyThatWasPutBackIsOutdatedUntilTheNext() {
    reads.started();
    of.accepted(7);
    reads.restart(of);
    assertThat(reads.isOutdated(KEY)).isTrue();

    reads.ended(of, true, 4, 0);
    assertThat(asked).containsExactly("forget");

    reads.started();
    assertThat(reads.isOutdated(KEY)).isFalse();
    reads.committed(of, 0);
    assertThat(asked).containsExactly("forget", "after 0"); // from the first on
  }

  @Test
  void afterTheEndNothingIsAskedFor() {
    reads.stop();
    reads.committed(of, 0);

    assertThat(asked).isEmpty();
  }
}
