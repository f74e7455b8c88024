package io.outbox.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.cli.output.TextTable.Cell;
import io.outbox.cli.output.TextTable.Column;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {

  private final TextTable table =
      new TextTable(
          Column.fixed("ID"), Column.number("N"), Column.text("TYPE"), Column.text("ERROR"));

  @Test
  void columnsAreAligned() {
    table.row("a1", 7, "OrderPlaced", null).row("b", 1000, "X", "timeout");

    assertThat(table.lines(200, false))
        .containsExactly(
            "ID     N  TYPE         ERROR",
            "a1     7  OrderPlaced",
            "b   1000  X            timeout");
  }

  @Test
  void theWidestColumnGivesWayButNeverAnId() {
    String id = "01JQ0V6Z0Y8Q4T1M2N3P4R5S6T";
    table.row(id, 1, "OrderPlaced", "e".repeat(300));

    List<String> lines = table.lines(80, false);

    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    assertThat(lines.get(1)).contains(id).contains("OrderPlaced").endsWith("e…");
  }

  @Test
  void wideCharactersAreCountedAsTwo() {
    table.row("a", 1, "東京", "x").row("b", 1, "abcd", "x");

    List<String> lines = table.lines(80, false);

    assertThat(lines.get(1)).isEqualTo("a   1  東京  x");
    assertThat(lines.get(2)).isEqualTo("b   1  abcd  x");
  }

  @Test
  void colorsAreThereOnlyIfWanted() {
    table.row(new Cell("a", Style.RED), 1, "T", "E\u001b[31m");

    assertThat(String.join("", table.lines(80, false))).doesNotContain("\u001b");
    assertThat(table.lines(80, true).get(1))
        .startsWith("\u001b[31ma\u001b[0m")
        .contains("E\\u001b[31m");
  }
}
