package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueueRoomTest {

  private final QueueRoom room = new QueueRoom(2, 100);

  @Test
  void R13_roomIsBoundedInEvents() {
    assertThat(room.take(1)).isTrue();
    assertThat(room.take(1)).isTrue();

    assertThat(room.take(1)).isFalse();
    assertThat(room.events()).isEqualTo(2);
  }

  @Test
  void R13_roomIsBoundedInBytes() {
    assertThat(room.take(60)).isTrue();

    assertThat(room.take(60)).isFalse();
  }

  @Test
  void anEventThatIsTooLargeFitsAlone() {
    assertThat(room.take(1_000)).isTrue();
    assertThat(room.left()).isZero();
  }

  @Test
  void whoFoundNoRoomWaitsUntilAnotherHasLeft() {
    room.take(60);
    room.take(60);
    assertThat(room.left()).isZero();

    room.free(60);
    assertThat(room.left()).isEqualTo(2);
  }
}
