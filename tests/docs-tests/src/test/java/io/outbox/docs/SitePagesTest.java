package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SitePagesTest {

  private static final Path MENU = Texts.page("site/pages.json");

  @Test
  void theMenuOfTheSiteNamesEveryPageOnce() {
    List<Path> named =
        Pattern.compile("\"([^\"]+\\.md)\"")
            .matcher(Texts.read(MENU))
            .results()
            .map(match -> Texts.page(match.group(1)))
            .toList();

    assertThat(named)
        .as("pages in site/pages.json")
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(Texts.pages().stream(), Stream.of(Texts.page("benchmarks/README.md")))
                .toList());
  }

  @Test
  void theLockFileNamesNoRegistry() {
    assertThat(Texts.read(Texts.page("site/package-lock.json"))).doesNotContain("\"resolved\"");
  }
}
