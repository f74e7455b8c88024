package io.outbox.faults;

import io.outbox.faults.node.Mode;
import io.outbox.faults.proof.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Results as a table in Markdown, which is also easy to read on a terminal. */
public final class ResultTable {

  private static final List<String> HEAD =
      List.of(
          "scenario",
          "mode",
          "faults",
          "events",
          "lost",
          "phantoms",
          "out of order",
          "duplicates",
          "recovery, median / longest",
          "verdict");

  private final List<List<String>> lines = new ArrayList<>();

  public ResultTable() {
    lines.add(HEAD);
  }

  public void add(Result result) {
    Verdict verdict = result.verdict();
    lines.add(
        List.of(
            result.scenario(),
            result.mode().toString(),
            result.faultCounts(),
            Integer.toString(verdict.events),
            Integer.toString(verdict.lost.size()),
            Integer.toString(verdict.phantoms.size()),
            result.proven() == Mode.ORDERED_BY_KEY
                ? Integer.toString(verdict.disorder.size())
                : "-",
            result.duplicates(),
            result.recovery(),
            verdict.isGood() ? "good" : "FAILED"));
  }

  public void addNotRun(String scenario, Mode mode, String why) {
    List<String> line = new ArrayList<>(List.of(scenario, mode.toString()));
    line.addAll(Collections.nCopies(HEAD.size() - 3, "-"));
    line.add("not run: " + why);
    lines.add(line);
  }

  @Override
  public String toString() {
    int[] widths =
        IntStream.range(0, HEAD.size())
            .map(column -> lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(0))
            .toArray();
    List<String> texts = new ArrayList<>();
    lines.forEach(line -> texts.add(text(line, widths)));
    texts.add(
        1,
        IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(" | ", "| ", " |")));
    return String.join("\n", texts) + "\n";
  }

  private static String text(List<String> line, int[] widths) {
    return IntStream.range(0, widths.length)
        .mapToObj(i -> line.get(i) + " ".repeat(widths[i] - line.get(i).length()))
        .collect(Collectors.joining(" | ", "| ", " |"));
  }
}
