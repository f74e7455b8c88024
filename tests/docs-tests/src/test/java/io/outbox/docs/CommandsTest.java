package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands that pages show exist, with their options. */
class CommandsTest {

  private static final Pattern HELP =
      Pattern.compile("<!-- help: ([a-z ]+) -->\n```\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SHOWN =
      Pattern.compile("(?:\\./|`|-SNAPSHOT\\.jar )outbox ([a-z][a-z-]*(?: [a-z]+)?)([^\n`|#]*)");
  private static final Pattern OPTION = Pattern.compile("(?<= )--[a-z-]+");

  /** Commands of a clone, in the script itself. */
  private static final Set<String> OF_THE_SCRIPT =
      Set.of(
          "bench",
          "bench-kafka",
          "bench-nodes",
          "bench-subscriptions",
          "bench-partitions",
          "bench-processes",
          "bench-pieces",
          "docs",
          "faults",
          "fuzz",
          "package",
          "sample",
          "stage");

  private static final Map<String, String> HELP_BY_COMMAND = helpByCommand();

  private static Map<String, String> helpByCommand() {
    Map<String, String> help = new TreeMap<>();
    HELP.matcher(Texts.read(Texts.page("docs/cli.md")))
        .results()
        .forEach(match -> help.put(match.group(1), match.group(2).replace("[no-]", "")));
    return help;
  }

  static Stream<Path> pages() {
    return Texts.pages().stream();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandExists(Path page) {
    SHOWN.matcher(Texts.read(page)).results().forEach(shown -> check(page, shown));
  }

  @Test
  void commandsAreFound() {
    assertThat(pages().flatMap(page -> SHOWN.matcher(Texts.read(page)).results()))
        .hasSizeGreaterThan(50);
  }

  private static void check(Path page, MatchResult shown) {
    String words = shown.group(1);
    String first = words.split(" ")[0];
    String command = HELP_BY_COMMAND.containsKey(words) ? words : first;
    if (OF_THE_SCRIPT.contains(first)) {
      return;
    }
    String where = page.getFileName() + ": " + shown.group().strip();
    assertThat(HELP_BY_COMMAND).as(where).containsKey(command);
    OPTION
        .matcher(shown.group(2))
        .results()
        .forEach(
            option ->
                assertThat(HELP_BY_COMMAND.get(command))
                    .as(where)
                    .containsPattern(option.group() + "\\b"));
  }
}
