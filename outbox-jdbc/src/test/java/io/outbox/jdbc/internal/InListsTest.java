package io.outbox.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InListsTest {

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "3, 4", "4, 4", "5, 8", "1000, 1024", "1024, 1024"})
  void listsArePaddedToPowersOfTwoWithTheirLastElement(int size, int padded) {
    List<Integer> values = IntStream.range(0, size).boxed().toList();
    assertThat(InLists.padded(values))
        .hasSize(padded)
        .startsWith(values.toArray(Integer[]::new))
        .endsWith(size - 1);
  }

  @Test
  void longListsAreCut() {
    assertThat(InLists.chunks(IntStream.range(0, 2500).boxed().toList()))
        .extracting(List::size)
        .containsExactly(1024, 1024, 452);
    assertThat(InLists.chunks(List.of())).isEmpty();
  }

  @Test
  void eachElementHasAPlaceholder() {
    assertThat(InLists.placeholders(1)).isEqualTo("(?)");
    assertThat(InLists.placeholders(3)).isEqualTo("(?, ?, ?)");
  }
}
