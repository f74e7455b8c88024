package io.outbox.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.poll.PollCycle.Position;
import io.outbox.model.EventRoute;
import io.outbox.spi.PollCursor;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PollWayTest {

  private static final List<EventRoute> BUSY = List.of(new EventRoute("Order", "Placed"));

  private List<EventRoute> unwanted = List.of();
  private boolean room;

  private final PollSink sink =
      (PollSink)
          Proxy.newProxyInstance(
              PollSink.class.getClassLoader(),
              new Class<?>[] {PollSink.class},
              (proxy, method, args) ->
                  switch (method.getName()) {
                    case "unwantedRoutes" -> unwanted;
                    case "takeRoom" -> takeRoom();
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private final PollWay way = new PollWay(sink, TimeUnit.DAYS.toNanos(1));

  private boolean takeRoom() {
    boolean taken = room;
    room = false;
    return taken;
  }

  private static Position at(int seq) {
    return new Position(new PollCursor(Instant.EPOCH, seq, null, 0), 0);
  }

  private void passed(boolean full, int to) {
    way.passed(new PollCycle.Result(full, 1, 0, false, false, true, at(to), Optional.empty()));
  }

  @Test
  void itGoesOnBehindWhatItHasPassed() {
    way.begin();
    assertThat(way.next()).isNull();
    passed(true, 50);
    assertThat(way.next()).isEqualTo(at(50));
    assertThat(way.next()).as("some were refused").isEqualTo(at(50));
    passed(false, 60);

    way.begin();
    assertThat(way.next()).as("all are wanted").isNull();
  }

  /** Or events behind a large backlog of a busy listener would be found late. */
  @Test
  void R12_theBacklogOfABusyListenerIsNotPassedAgainWhenItHasRoom() {
    way.begin();
    way.next();
    unwanted = BUSY;
    passed(true, 50);
    way.next();
    passed(false, 1_000);

    for (int i = 0; i < 3; i++) {
      unwanted = List.of();
      room = true;
      way.begin();
      assertThat(way.next()).as("the first rows are its own").isNull();
      passed(true, 10);
      assertThat(way.next()).as("it has room for more").isEqualTo(at(10));
      unwanted = BUSY;
      passed(true, 20);
      assertThat(way.next()).as("it is busy again").isEqualTo(at(1_000));
      passed(false, 1_000);
    }
  }

  @Test
  void roomInTheMiddleOfAWayDoesNotLoseTheWay() {
    unwanted = BUSY;
    way.begin();
    way.next();
    passed(true, 300);
    unwanted = List.of();
    room = true;
    assertThat(way.next()).isNull();
    passed(true, 10);
    room = true;
    assertThat(way.next()).as("once more").isNull();
    unwanted = BUSY;
    passed(true, 10);
    assertThat(way.next()).isEqualTo(at(300));
  }
}
