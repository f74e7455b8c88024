package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the page: nothing that could turn text into HTML, nothing from elsewhere. */
class AssetsTest {

  private static final Path ASSETS = Path.of("src/main/resources/io/outbox/console/assets");

  private static final List<String> FORBIDDEN =
      List.of(
          "innerHTML",
          "outerHTML",
          "insertAdjacentHTML",
          "document.write",
          "DOMParser",
          "createContextualFragment",
          "setHTML",
          "srcdoc",
          "eval(",
          "new Function",
          "javascript:",
          "setTimeout('",
          "http://",
          "https://");

  private static List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.walk(ASSETS)) {
      return all.filter(path -> path.toString().endsWith(ending)).toList();
    }
  }

  @Test
  void noScriptMakesHtmlOfText() throws IOException {
    assertThat(files(".js")).hasSizeGreaterThan(10);
    for (Path file : files(".js")) {
      String text =
          Files.readString(file).replace("http://www.w3.org/2000/svg", "the namespace of SVG");
      assertThat(FORBIDDEN).as(file.toString()).noneMatch(text::contains);
    }
  }

  @Test
  void thePageHasNoScriptOrStyleOfItsOwn() throws IOException {
    String page = Files.readString(ASSETS.resolve("index.html"));

    assertThat(page).doesNotContain("<style", " style=", "http:", "https:", "//");
    assertThat(page)
        .doesNotContainPattern("<script(?![^>]* src=)")
        .doesNotContainPattern(" on\\w+=");
  }

  @Test
  void stylesLoadNothing() throws IOException {
    for (Path file : files(".css")) {
      assertThat(Files.readString(file)).as(file.toString()).doesNotContain("url(", "@import");
    }
  }

  @Test
  void whatIsImportedIsThere() throws IOException {
    Pattern imported = Pattern.compile("from '(\\.[^']+)'");
    for (Path file : files(".js")) {
      Matcher matcher = imported.matcher(Files.readString(file));
      while (matcher.find()) {
        assertThat(file.resolveSibling(matcher.group(1))).exists();
      }
    }
    Matcher named =
        Pattern.compile("(?:src|href)=\"assets/([^\"]+)\"")
            .matcher(Files.readString(ASSETS.resolve("index.html")));
    assertThat(named.results().map(result -> ASSETS.resolve(result.group(1))).toList())
        .hasSize(5)
        .allMatch(Files::exists);
  }
}
