package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The map of the project names rules, tests, classes and threads that there are. */
class ArchitectureTest {

  private static final int RULES = 26;
  private static final Pattern RULE = Pattern.compile("(?m)^\\| R(\\d+) \\|.*\\|(.*)\\|$");
  private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z]+)`");
  private static final Pattern THREAD = Pattern.compile("\"(outbox-[a-z-]+-)\"");

  private final String page = Texts.read(Texts.page("docs/architecture.md"));
  private final Map<String, List<Path>> sources = sources(); // several may have one name

  @Test
  void everyRuleHasTestsThatNameIt() {
    List<MatchResult> rules = RULE.matcher(page).results().toList();
    assertThat(rules)
        .extracting(rule -> Integer.valueOf(rule.group(1)))
        .isEqualTo(IntStream.rangeClosed(1, RULES).boxed().toList());
    for (MatchResult rule : rules) {
      assertThat(names(CLASS, rule.group(2)))
          .as("tests of R" + rule.group(1))
          .isNotEmpty()
          .allSatisfy(
              test ->
                  assertThat(sources.getOrDefault(test, List.of()))
                      .as(test)
                      .anyMatch(file -> Texts.read(file).contains(" R" + rule.group(1) + "_")));
    }
  }

  @Test
  void everyClassIsThere() {
    assertThat(sources.keySet()).containsAll(names(CLASS, page));
  }

  @Test
  void everyThreadOfTheCoreIsNamed() {
    Set<String> threads =
        sources.values().stream()
            .flatMap(List::stream)
            .filter(file -> file.startsWith(Texts.page("outbox-core/src/main")))
            .flatMap(file -> names(THREAD, Texts.read(file)).stream())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(names(Pattern.compile("`(outbox-[a-z-]+-)`"), page))
        .containsExactlyInAnyOrderElementsOf(threads);
  }

  private static Set<String> names(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Not what a build writes, which may come and go meanwhile. */
  private static Map<String, List<Path>> sources() {
    Map<String, List<Path>> found = new HashMap<>();
    try {
      Files.walkFileTree(
          Texts.ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              String name = String.valueOf(folder.getFileName());
              return name.equals("target") || name.startsWith(".")
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (file.toString().endsWith(".java")) {
                String name = file.getFileName().toString().replace(".java", "");
                found.computeIfAbsent(name, key -> new ArrayList<>()).add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
