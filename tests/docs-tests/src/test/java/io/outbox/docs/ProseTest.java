package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages are easy to read: short lines and sentences, no phrase that makes a reader work. */
class ProseTest {

  /** Pages that are still to be rewritten. The list only becomes shorter. */
  private static final Set<String> NOT_YET = Set.of();

  static Stream<Path> pages() {
    return Stream.concat(Texts.pages().stream(), Texts.readmes().stream());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void aPageIsEasyToRead(Path page) {
    List<String> problems = Prose.problems(Texts.lines(page));
    String name = Texts.ROOT.relativize(page).toString();
    if (NOT_YET.contains(name)) {
      assertThat(problems).as(name + " is fine: remove it from the list").isNotEmpty();
    } else {
      assertThat(problems).as(name).isEmpty();
    }
  }

  @Test
  void javadocOfPublicTypesAndMessagesHaveNoSuchPhrase() {
    assertThat(SourceTexts.files()).hasSizeGreaterThan(500);
    assertThat(SourceTexts.files().stream().flatMap(file -> SourceTexts.problems(file).stream()))
        .isEmpty();
  }

  @Test
  void phrasesOfSourcesAreFound() {
    String source =
        """
        /** A gate, {@code gate}. */
        public class Poller {
          String a = "gate"; // one word may be a name
          String b = "events are put off";
        }
        """;
    assertThat(SourceTexts.problems("Poller.java", source))
        .containsExactly(
            "Poller.java:1: \"gate\"; write: circuit breaker",
            "Poller.java:4: \"put off\"; write: defer");
    assertThat(SourceTexts.problems("internal/Poller.java", source)).hasSize(1);
  }

  @Test
  void theTermsOfTheGlossaryAreInOrderAndInUse() {
    Path glossary = Texts.page("docs/glossary.md");
    String others =
        pages()
            .filter(page -> !page.equals(glossary))
            .map(Texts::read)
            .collect(Collectors.joining("\n"))
            .toLowerCase(Locale.ROOT);
    List<String> terms =
        Texts.lines(glossary).stream()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| term |"))
            .map(line -> line.split("\\|")[1].strip())
            .toList();

    assertThat(terms).hasSizeGreaterThan(40).isSorted();
    assertThat(terms).allSatisfy(term -> assertThat(others).contains(term));
  }

  @Test
  void longSentencesAndLinesAreFound() {
    String word = "word ";
    assertThat(Prose.problems(List.of("x".repeat(Prose.MAX_COLUMNS + 1))))
        .singleElement()
        .asString()
        .startsWith("1: a line of more than");
    assertThat(Prose.problems(List.of(word.repeat(20), word.repeat(20), "", "# Heading")))
        .isEmpty();
    assertThat(Prose.problems(List.of("", word.repeat(20), word.repeat(20) + "end. Next.")))
        .singleElement()
        .asString()
        .startsWith("2: 41 words");
    assertThat(Prose.problems(List.of("```", "x".repeat(200), "```", "| " + "x".repeat(200))))
        .isEmpty();
  }

  @Test
  void phrasesAreFound() {
    assertThat(Prose.problems(List.of("- It has, as a", "  rule, a gate.", "| whoever | `gate` |")))
        .containsExactly(
            "1: \"as a rule\"; write: leave it out",
            "1: \"gate\"; write: circuit breaker",
            "3: \"whoever\"; write: name who it is");
  }
}
