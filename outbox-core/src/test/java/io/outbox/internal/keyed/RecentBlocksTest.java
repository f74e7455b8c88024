package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import org.junit.jupiter.api.Test;

class RecentBlocksTest {

  private static final EventKey KEY = EventKey.named("key");

  private final RecentBlocks blocks = new RecentBlocks();

  @Test
  void withoutABlockHereTheTableIsRight() {
    assertThat(blocks.blockerOf(KEY, 1, null)).isNull();
    assertThat(blocks.blockerOf(KEY, 1, "e1")).isEqualTo("e1");
  }

  @Test
  void aReadThatBeganBeforeTheEventDiedDoesNotKnowOfIt() {
    blocks.add(KEY, "e1", 1);

    assertThat(blocks.blockerOf(KEY, 1, null)).isEqualTo("e1");
    assertThat(blocks.blockerOf(EventKey.named("other"), 1, null)).isNull();
  }

  @Test
  void aLaterReadIsRightForGood() {
    blocks.add(KEY, "e1", 1);

    assertThat(blocks.blockerOf(KEY, 2, null)).isNull(); // an operator has lifted it
    assertThat(blocks.blockerOf(KEY, 1, null)).isNull();
  }

  @Test
  void R13_onlySoManyAreRemembered() {
    for (int i = 0; i <= 10_000; i++) {
      blocks.add(EventKey.named("key-" + i), "e" + i, 1);
    }

    assertThat(blocks.blockerOf(EventKey.named("key-0"), 1, null)).isNull();
    assertThat(blocks.blockerOf(EventKey.named("key-1"), 1, null)).isEqualTo("e1");
    assertThat(blocks.blockerOf(EventKey.named("key-10000"), 1, null)).isEqualTo("e10000");
  }
}
