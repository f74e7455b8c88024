package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.ManualClock;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WantedKeysTest {

  private static final EventKey KEY = EventKey.named("key");

  private final ManualClock time = new ManualClock();
  private final WantedKeys wanted = new WantedKeys(new EngineClock(time), new HeldEvents());

  @Test
  void R13_keysThatTheTableNamesAreBounded() {
    for (int i = 0; i < 20_000; i++) {
      wanted.readAnyway(EventKey.named("key " + i));
    }

    assertThat(wanted.take(Integer.MAX_VALUE)).hasSize(10_000);
    assertThat(wanted.takeAll()).as("the others are looked for").isTrue();
  }

  @Test
  void aParkedKeyIsReadEarlierOnlyIfTheTableNamesIt() {
    wanted.readAt(KEY, time.instant().plus(Duration.ofMinutes(1)));

    wanted.readFirst(KEY);
    assertThat(wanted.take(10)).isEmpty();

    wanted.readAnyway(KEY);
    assertThat(wanted.take(10)).containsOnlyKeys(KEY);
  }
}
