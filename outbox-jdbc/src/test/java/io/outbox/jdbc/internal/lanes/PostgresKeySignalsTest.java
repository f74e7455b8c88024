package io.outbox.jdbc.internal.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresKeySignalsTest {

  private static Set<EventKey> keys(String... names) {
    return Arrays.stream(names).map(EventKey::named).collect(Collectors.toSet());
  }

  @Test
  void whatIsToldIsHeardWhateverTheKeysContain() {
    Set<EventKey> keys = keys("a", "", "12:34", " x\n*", "Käse 🧀", "3:");
    assertThat(PostgresKeySignals.keys(PostgresKeySignals.message(keys))).contains(keys);
    assertThat(PostgresKeySignals.keys("")).contains(Set.of());
  }

  @Test
  void tooManyKeysAreAnyKey() {
    List<EventKey> many =
        IntStream.range(0, 1000).mapToObj(i -> EventKey.named("customer-" + i)).toList();
    assertThat(PostgresKeySignals.keys(PostgresKeySignals.message(many))).isEmpty();

    List<EventKey> some = many.subList(0, 500);
    String message = PostgresKeySignals.message(some);
    assertThat(message.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(8000);
    assertThat(PostgresKeySignals.keys(message)).contains(Set.copyOf(some));
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "hello", "5:abc", ":", "-1:a", "99999:a"})
  void whatIsNoMessageOfOursMeansAnyKey(String message) {
    assertThat(PostgresKeySignals.keys(message)).isEmpty();
  }
}
