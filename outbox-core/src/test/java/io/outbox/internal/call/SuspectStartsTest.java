package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.FakeDatabase;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import io.outbox.spi.OutboxStore;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class SuspectStartsTest {

  private final SoloStart solo = new SoloStart();
  private final Delivery suspect =
      Delivery.ofCommitted(EventEnvelope.ofJson("Suspected", "{}"), null);
  private boolean recorded = true;
  private boolean unreachable;
  private boolean leased = true;
  private final SuspectStarts<Delivery> suspects =
      new SuspectStarts<>(
          new StoreSession(new FakeDatabase(), store()), new HeldEvents(), solo, any -> leased);

  private OutboxStore store() {
    return (OutboxStore)
        Proxy.newProxyInstance(
            OutboxStore.class.getClassLoader(),
            new Class<?>[] {OutboxStore.class},
            (proxy, method, args) -> {
              if (unreachable && method.getName().equals("recordStart")) {
                throw new IllegalStateException("the database is gone");
              }
              return method.getName().equals("recordStart") ? recorded : null;
            });
  }

  /** Whether another suspect can start, which it cannot while one has just started. */
  private boolean isFree() throws InterruptedException {
    boolean free = solo.tryEnterAlone("another", 0);
    if (free) {
      solo.leaveAlone("another");
    }
    return free;
  }

  @Test
  void R7_aSuspectStartsAlone() throws Exception {
    assertThat(suspects.tryStart(suspect)).isTrue();
    assertThat(isFree()).isFalse();

    suspects.ended(suspect);
    assertThat(isFree()).isTrue();
  }

  @Test
  void anEventOfAnotherNodeIsNotStarted() throws Exception {
    recorded = false;

    assertThat(suspects.tryStart(suspect)).isFalse();
    assertThat(suspect.mayBeStarted()).isFalse();
    assertThat(isFree()).isTrue();
  }

  @Test
  void R7_aStartThatMayBeInTheDatabaseIsToBeUndone() throws Exception {
    unreachable = true;

    assertThat(suspects.tryStart(suspect)).isFalse();
    assertThat(suspect.mayBeStarted()).isTrue();
    assertThat(isFree()).isTrue();
  }

  @Test
  void R7_aLeaseLostMeanwhileEndsTheStart() throws Exception {
    leased = false;

    assertThat(suspects.tryStart(suspect)).isFalse();
    assertThat(suspect.mayBeStarted()).isTrue();
    assertThat(isFree()).isTrue();
  }
}
