package io.outbox.testbrowser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The documentation's site, as {@code ./outbox docs} builds and serves it. */
class SiteTest {

  private static final String REQUIRED = "OUTBOX_TEST_REQUIRE_SITE";
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolve("../..").normalize();
  private static final Path SITE = ROOT.resolve("site/.vitepress/dist");
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");

  private static Browser browser;
  private static Process server;
  private static String home;
  private static Map<Path, String> chartsBefore;

  @BeforeAll
  static void buildAndServe(@TempDir Path directory) throws IOException {
    if (!Files.exists(ROOT.resolve("site/node_modules/.package-lock.json"))) {
      throw Browser.leftOut(
          "Site", "its packages are not there; ./outbox docs --build fetches them", REQUIRED);
    }
    Browser.forgetLeftOut("Site");
    browser = Browser.open();
    chartsBefore = charts();
    Path output = directory.resolve("output.txt");
    server =
        new ProcessBuilder(ROOT.resolve("outbox").toString(), "docs", "--port", "0")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    await("the site is built and served")
        .atMost(Duration.ofMinutes(15))
        .until(() -> !server.isAlive() || ADDRESS.matcher(Files.readString(output)).find());
    Matcher address = ADDRESS.matcher(Files.readString(output));
    assertThat(address.find()).as("./outbox docs said: " + Files.readString(output)).isTrue();
    home = address.group();
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.destroy();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void chartsAreThoseThatTheBuildDraws() throws IOException {
    assertThat(charts()).as("commit what ./outbox docs has drawn").isEqualTo(chartsBefore);
  }

  @Test
  void searchFindsASetting() {
    browser.visit(home);
    browser.click(".VPNavBarSearch button");
    browser.type("input.search-input", "maxAttempts");
    browser.see(".results .result", "maxAttempts");

    browser.press(Keys.ENTER);

    browser.see(".vp-doc", "maxAttempts");
    assertThat(browser.address()).contains("/docs/");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void everyPageIsCompleteOnADesktopAndOnAPhoneLightAndDark() {
    int diagrams = 0;
    for (String page : pages()) {
      browser.prefers("light");
      browser.size(1280, 900);
      diagrams += visit(page);
      browser.prefers("dark");
      browser.size(390, 800);
      visit(page);
      assertThat(browser.script("return document.documentElement.scrollWidth"))
          .as("width of " + page + " on a phone")
          .isEqualTo(390L);
    }
    assertThat(diagrams).isPositive();
  }

  /** Returns how many diagrams it has. */
  private static int visit(String page) {
    browser.visit(home + page);
    browser.see(".vp-doc h1");
    await("the diagrams of " + page)
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                browser.script(
                    "return [...document.querySelectorAll('.diagram')].every(d =>"
                        + " d.querySelector('svg'))"),
            Boolean.TRUE::equals);
    await("the pictures of " + page)
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                browser.script(
                    "return [...document.images].every(i => i.complete && i.naturalWidth > 0)"),
            Boolean.TRUE::equals);
    assertThat(strings("document.querySelectorAll('.diagram .error-text')", "textContent"))
        .as("diagrams of " + page)
        .isEmpty();
    assertThat(strings("performance.getEntriesByType('resource')", "name"))
        .as("requests of " + page)
        .isNotEmpty()
        .allSatisfy(
            address ->
                assertThat(address)
                    .satisfiesAnyOf(
                        each -> assertThat(each).startsWith(home),
                        each -> assertThat(each).startsWith("data:")));
    assertThat(browser.complaints()).as("complaints about " + page).isEmpty();
    return strings("document.querySelectorAll('.diagram svg')", "id").size();
  }

  @Test
  void aReaderCanChooseTheDarkSide() {
    browser.prefers("light");
    browser.size(1280, 900);
    browser.visit(home);
    Object light = background();

    browser.click(".VPSwitchAppearance");

    await("dark").atMost(Duration.ofSeconds(60)).until(() -> !background().equals(light));
    assertThat(browser.script("return document.documentElement.className")).isEqualTo("dark");
    browser.script("localStorage.clear()");
  }

  private static Object background() {
    return browser.script("return getComputedStyle(document.body).backgroundColor");
  }

  @Test
  void linksIntoPagesLeadToTheirHeadings() {
    Map<String, Set<String>> anchors = new HashMap<>();
    Map<String, String> links = new TreeMap<>();
    for (String page : pages()) {
      String html = read(SITE.resolve(page));
      anchors.put(page, new HashSet<>(all(html, " id=\"([^\"]+)\"")));
      for (String link : all(html, "<a href=\"([^\":]*#[^\"]+)\"")) {
        links.put(page + " links " + link, absolute(page, link));
      }
    }
    assertThat(links).isNotEmpty();
    links.forEach(
        (what, target) -> {
          int hash = target.indexOf('#');
          assertThat(anchors.get(target.substring(0, hash)))
              .as(what)
              .isNotNull()
              .contains(target.substring(hash + 1));
        });
  }

  private static String absolute(String page, String link) {
    if (link.startsWith("#")) {
      return page + link;
    }
    String path = Path.of("/" + page).resolveSibling(link).normalize().toString().substring(1);
    return path.startsWith("#") || path.contains("/#")
        ? path.replaceFirst("#", "index.html#")
        : path;
  }

  private static List<String> pages() {
    try (Stream<Path> files = Files.walk(SITE)) {
      return files
          .filter(file -> file.toString().endsWith(".html") && !file.endsWith("404.html"))
          .map(file -> SITE.relativize(file).toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Path, String> charts() throws IOException {
    Map<Path, String> charts = new TreeMap<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/images"))) {
      files.filter(file -> file.toString().endsWith(".svg")).forEach(f -> charts.put(f, read(f)));
    }
    return charts;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1)).toList();
  }

  private static List<String> strings(String elements, String property) {
    List<String> strings = new ArrayList<>();
    for (Object each :
        (List<?>)
            browser.script("return [..." + elements + "].map(each => each." + property + ")")) {
      strings.add(String.valueOf(each));
    }
    return strings;
  }
}
