package io.outbox.internal.signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Engine;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventKey;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.DueEvent;
import io.outbox.spi.lanes.DuePage;
import io.outbox.spi.lanes.LaneStore;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DueWatchTest {

  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final Engine engine = new Engine();
  private final List<DueEvent> due = new CopyOnWriteArrayList<>();
  private final List<Duration> windows = new CopyOnWriteArrayList<>();
  private final List<Set<EventKey>> found = new CopyOnWriteArrayList<>(); // none: any
  private final Set<String> held = new HashSet<>();
  private volatile boolean needed = true;
  private volatile boolean away;

  private final LaneStore store =
      (LaneStore)
          Proxy.newProxyInstance(
              LaneStore.class.getClassLoader(),
              new Class<?>[] {LaneStore.class},
              (proxy, method, args) -> {
                if (away) {
                  throw new IllegalStateException("away");
                }
                windows.add(Duration.between(((PollCursor) args[2]).dueAt(), (Instant) args[3]));
                int limit = (int) args[5];
                return new DuePage(
                    due.stream().limit(limit).toList(),
                    Optional.of(PollCursor.behind(T0)).filter(more -> due.size() >= limit));
              });

  private final DueWatch watch =
      new DueWatch(
          new StoreSession(engine.database, engine.store),
          store,
          new EngineClock(Clock.systemUTC()),
          List::of,
          event -> !held.contains(event.eventId()),
          () -> needed,
          keys -> found.add(keys.orElse(Set.of())));

  @AfterEach
  void close() throws Exception {
    watch.close();
    engine.close();
  }

  private static DueEvent event(String key, String id, Instant at) {
    return new DueEvent(EventKey.named(key), id, at);
  }

  private static Set<EventKey> keys(String... names) {
    Set<EventKey> keys = new HashSet<>();
    for (String name : names) {
      keys.add(EventKey.named(name));
    }
    return keys;
  }

  @Test
  void anEventIsAnnouncedOnceHoweverOftenItIsSeen() {
    due.add(event("a", "1", T0));
    watch.look();
    watch.look();
    due.add(event("a", "2", T0));
    due.add(event("b", "3", T0));
    watch.look();
    watch.look();

    assertThat(found).containsExactly(keys("a"), keys("a", "b"));
  }

  @Test
  void anEventThatIsDueAnewIsAnnouncedAgain() {
    due.add(event("a", "1", T0));
    watch.look();
    due.set(0, event("a", "1", T0.plusSeconds(1)));
    watch.look();

    assertThat(found).containsExactly(keys("a"), keys("a"));
  }

  @Test
  void whatIsHeldIsNoNewsUntilItIsLetGo() {
    due.add(event("a", "1", T0));
    held.add("1");
    watch.look();
    assertThat(found).isEmpty();

    held.clear();
    watch.look();
    assertThat(found).containsExactly(keys("a"));
  }

  @Test
  void eachLookGoesBackASecondAndSomeTen() {
    IntStream.range(0, 20).forEach(i -> watch.look());

    assertThat(windows).hasSize(20).allMatch(window -> window.toMillis() >= 1000);
    assertThat(windows.stream().filter(window -> window.toMillis() >= 10_000)).hasSize(2);
  }

  @Test
  void itReadsABoundedNumber() {
    List<DueEvent> many = new ArrayList<>();
    IntStream.range(0, 5_000).forEach(i -> many.add(event("k" + i, "e" + i, T0)));
    due.addAll(many);

    assertThat(watch.look()).isTrue();
    assertThat(found).as("any key").containsExactly(Set.of());
  }

  /** R18: neither a failure nor a stray interrupt ends it. */
  @Test
  void R18_itGoesOnAfterAFailureAndAnInterrupt() {
    away = true;
    watch.start();
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("outbox-due-"))
                    .peek(Thread::interrupt)
                    .findAny()
                    .isPresent());
    away = false;
    due.add(event("a", "1", T0));

    await().until(() -> found, List.of(keys("a"))::equals);
  }

  @Test
  void itDoesNotLookWhenNobodyNeedsIt() {
    needed = false;
    watch.start();
    await().during(Duration.ofMillis(400)).until(windows::isEmpty);
    needed = true;
    await().until(() -> !windows.isEmpty());
  }
}
