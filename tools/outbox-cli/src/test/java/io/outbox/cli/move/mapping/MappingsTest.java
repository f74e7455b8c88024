package io.outbox.cli.move.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MappingsTest {

  private static final String HEAD = "table: t\nkey: id\nrows: {pending: all}\n";
  private static final String EVENT = "event: {type: type, payload: payload}\n";

  @TempDir private Path directory;

  static Stream<String> builtIn() {
    return Mappings.BUILT_IN.stream();
  }

  private Mapping load(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("m.yaml"), text);
    return Mappings.load(file.toString(), name -> null);
  }

  @ParameterizedTest
  @MethodSource("builtIn")
  void thoseOfThisProgramAreRight(String name) {
    Mapping mapping = Mappings.load(name, variable -> null);

    assertThat(mapping.kinds()).contains(RowKind.PENDING);
    assertThat(mapping.taken()).isEmpty();
  }

  @Test
  void aShortOneIsEnough() throws IOException {
    Mapping mapping = load(HEAD + EVENT);

    assertThat(mapping.rows()).containsEntry(RowKind.PENDING, Condition.ALL);
    assertThat(mapping.from("archive.T2").origin().idNamespace()).isEqualTo("t2");
    assertThat(load(HEAD + EVENT + "id-namespace: x\n").from("t2").origin().idNamespace())
        .isEqualTo("x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table: t\nkey: id\n" + EVENT,
        "key: id\nrows: {pending: all}\n" + EVENT,
        HEAD,
        HEAD + "event: {type: type}\n",
        HEAD + EVENT + "take: update\n",
        HEAD + EVENT + "take: {set: {}}\n",
        HEAD + EVENT + "time-zone: Mars\n",
        HEAD + EVENT + "where: [{column: a}]\n",
        HEAD + EVENT + "where: [{column: a, in: [1], empty: true}]\n",
        HEAD + EVENT + "where: [{in: [1]}]\n",
        HEAD + EVENT + "headers: {a: {column: b, constant: c}}\n",
        HEAD + EVENT + "headers: {a: {column: b, as: upper}}\n",
        HEAD + EVENT + "sql: DROP TABLE t\n",
        "table: t\nkey: id\nrows: {pending: some}\n" + EVENT,
        "- 1\n",
      })
  void mistakesAreRefusedWithTheirLine(String text) {
    assertThatThrownBy(() -> load(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("m.yaml:");
  }
}
