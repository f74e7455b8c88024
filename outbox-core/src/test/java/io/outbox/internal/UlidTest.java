package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class UlidTest {

  @Test
  void aUlidHas26LettersOfCrockfordsAlphabet() {
    assertThat(Ulid.next()).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}");
  }

  @Test
  void aUlidBeginsWithTheTime() {
    long before = System.currentTimeMillis();
    String ulid = Ulid.next();

    long millis = 0;
    for (char c : ulid.substring(0, 10).toCharArray()) {
      millis = millis * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".indexOf(c);
    }
    // Another test may have been ahead by the millisecond.
    assertThat(millis).isBetween(before, System.currentTimeMillis() + 1);
  }

  @Test
  void eachIsGreaterThanTheOneBefore() {
    String last = Ulid.next();
    for (int i = 0; i < 100_000; i++) {
      String next = Ulid.next();
      assertThat(next.compareTo(last) > 0).isTrue();
      last = next;
    }
  }

  @Test
  void aClockThatGoesBackDoesNotMatter() {
    String now = Ulid.next();
    String earlier = Ulid.next(1);
    String later = Ulid.next();

    assertThat(earlier).isGreaterThan(now);
    assertThat(later).isGreaterThan(earlier);
  }

  @Test
  void aMillisecondWithoutRoomLeftBorrowsFromTheNext() throws ReflectiveOperationException {
    set("randomLow", -2);
    set("randomHigh", 0xFFFE);
    String[] ulids = new String[4];
    ulids[0] = Ulid.next(0);
    ulids[1] = Ulid.next(0);
    set("randomLow", -1);
    set("randomHigh", 0xFFFF);
    ulids[2] = Ulid.next(0);
    ulids[3] = Ulid.next(0);

    assertThat(ulids).isSorted().doesNotHaveDuplicates();
    assertThat(ulids[1]).endsWith("000000000000");
    assertThat(ulids[2].substring(0, 10)).isGreaterThan(ulids[1].substring(0, 10));
  }

  private static void set(String field, long value) throws ReflectiveOperationException {
    Field found = Ulid.class.getDeclaredField(field);
    found.setAccessible(true);
    found.setLong(null, value);
  }

  @Test
  void manyThreadsGetDifferentOnes() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      Callable<List<String>> task =
          () -> {
            List<String> ulids = new ArrayList<>(100_000);
            for (int i = 0; i < 100_000; i++) {
              ulids.add(Ulid.next());
            }
            return ulids;
          };
      Set<String> all = new HashSet<>(1_600_000);
      for (Future<List<String>> result :
          threads.invokeAll(List.of(task, task, task, task, task, task, task, task))) {
        all.addAll(result.get());
      }
      assertThat(all).hasSize(800_000);
    } finally {
      threads.shutdownNow();
    }
  }
}
