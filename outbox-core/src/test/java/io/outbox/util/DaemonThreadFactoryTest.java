package io.outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;

class DaemonThreadFactoryTest {

  @Test
  void threadsAreDaemonsWithNumberedNames() {
    DaemonThreadFactory factory = new DaemonThreadFactory("mine-");
    Thread first = factory.newThread(() -> {});
    Thread second = factory.newThread(() -> {});

    assertThat(first.isDaemon()).isTrue();
    assertThat(first.getName()).isEqualTo("mine-1");
    assertThat(second.getName()).isEqualTo("mine-2");
    assertThat(first.getState()).isEqualTo(Thread.State.NEW);
  }

  @Test
  void R17_aPrefixIsNeeded() {
    assertThatNullPointerException().isThrownBy(() -> new DaemonThreadFactory(null));
  }
}
