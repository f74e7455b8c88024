package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.docs.MarkdownPage.Block;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The pages and the tests show the same code. The tests are where it is changed; {@code mvn test
 * -pl tests/docs-tests -am -Dtest=DocumentationTest -Doutbox.docs.update=true} copies it into the
 * pages.
 */
class DocumentationTest {

  private static final Snippets SNIPPETS =
      Snippets.in(
          Texts.ROOT.resolve("tests/cdc-tests/src/test/java"),
          Texts.ROOT.resolve("tests/dialect-tests/src"),
          Texts.ROOT.resolve("tests/docs-tests/src/test/java"),
          Texts.ROOT.resolve("integrations/outbox-jta/src/test/java"),
          Texts.ROOT.resolve("integrations/outbox-micronaut/src/test/java"),
          Texts.ROOT.resolve("integrations/outbox-quarkus/deployment/src/test/java"),
          Texts.ROOT.resolve("integrations/outbox-r2dbc/src/test/java"),
          Texts.ROOT.resolve("integrations/outbox-spring-events/src/test/java"),
          Texts.ROOT.resolve("outbox-console/src/test/java"),
          Texts.ROOT.resolve("samples/outbox-boot-jpa-kafka-demo/src/main/java"),
          Texts.ROOT.resolve("tests/import-tests/src/test/java"),
          Texts.ROOT.resolve("tests/publisher-tests/src/test/java"),
          Texts.ROOT.resolve("tests/spring-boot-tests/events/src"),
          Texts.ROOT.resolve("tests/spring-boot-tests/new-user/src"),
          Texts.ROOT.resolve("tests/spring-boot-tests/shared/src"),
          Texts.ROOT.resolve("tests/sql-libraries-tests/src/test/java"));

  static Stream<MarkdownPage> pages() {
    return Texts.pages().stream()
        .filter(page -> !page.endsWith("CONTRIBUTING.md"))
        .map(MarkdownPage::new);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCodeOfAPageIsThatOfATest(MarkdownPage page) {
    if (Boolean.getBoolean("outbox.docs.update")) {
      Texts.write(page.file(), page.with(block -> expected(page, block)));
      return;
    }
    for (Block block : page.blocks()) {
      String where = page.file().getFileName() + ":" + block.line();
      if (block.language().equals("java")) {
        assertThat(block.snippet()).as(where + " is Java without a snippet comment").isNotNull();
      }
      assertThat(page.text(block)).as(where).isEqualTo(expected(page, block));
    }
  }

  private static String expected(MarkdownPage page, Block block) {
    if (block.snippet() == null) {
      return page.text(block);
    }
    String text = SNIPPETS.text(block.snippet(), block.withImports());
    assertThat(text).as("the snippet " + block.snippet()).isNotNull();
    return text;
  }

  @Test
  void everySnippetIsShown() {
    Set<String> shown =
        pages()
            .flatMap(page -> page.blocks().stream())
            .map(Block::snippet)
            .collect(Collectors.toSet());
    assertThat(shown).containsAll(SNIPPETS.names());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkOfAPageLeadsSomewhere(MarkdownPage page) {
    for (String link : page.links()) {
      if (!link.startsWith("https://")) {
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path target = path.isEmpty() ? page.file() : page.file().resolveSibling(path).normalize();
        assertThat(Files.exists(target)).as(page.file().getFileName() + " links " + link).isTrue();
        if (hash >= 0) {
          assertThat(new MarkdownPage(target).anchors())
              .as(page.file().getFileName() + " links " + link)
              .contains(link.substring(hash + 1));
        }
      }
    }
  }
}
