package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The charts show the figures of the files they are drawn from, and so does the page. */
class ChartsTest {

  private static final Pattern SOURCE =
      Pattern.compile(
          "made by site/charts\\.mjs from (docs/data/\\S+\\.csv), sha256 (\\p{XDigit}+)");
  private static final Pattern NUMBER = Pattern.compile("(?<=,)[0-9.]+(?=,|$)");

  static Stream<Path> charts() throws IOException {
    return files("docs/images", ".svg");
  }

  static Stream<Path> data() throws IOException {
    return files("docs/data", ".csv");
  }

  private static Stream<Path> files(String directory, String suffix) throws IOException {
    return Files.list(Texts.page(directory)).filter(file -> file.toString().endsWith(suffix));
  }

  @ParameterizedTest
  @MethodSource("charts")
  void aChartIsDrawnFromItsDataAsTheyAreNow(Path chart) throws Exception {
    Matcher source = SOURCE.matcher(Texts.read(chart));
    assertThat(source.find()).as(chart + " says what it was drawn from").isTrue();

    String data = Texts.read(Texts.page(source.group(1)));

    assertThat(source.group(2))
        .as(
            "%s was drawn from other figures: run npm ci and npm run charts in site/",
            chart.getFileName())
        .isEqualTo(sha256(data));
  }

  @ParameterizedTest
  @MethodSource("data")
  void everyFigureOfTheDataIsOnThePage(Path file) {
    String page = Texts.read(Texts.page("docs/performance.md"));
    for (String line : Texts.lines(file)) {
      String contestant = line.replaceFirst("^([^,]*),(\"[^\"]*\"|[^,]*),.*", "$2");
      String figures = line.replaceFirst("^[^,]*,(\"[^\"]*\"|[^,]*),[^,]*", "");
      if (!line.startsWith("#") && !contestant.equals("contestant")) {
        assertThat(NUMBER.matcher(figures).results().map(figure -> written(figure.group())))
            .as("figures of %s in %s", contestant, file.getFileName())
            .isNotEmpty()
            .allSatisfy(figure -> assertThat(page).containsPattern(alone(figure)));
      }
    }
  }

  /** As the page writes it: 73,753 and 1.4. */
  private static String written(String figure) {
    return figure.contains(".")
        ? figure
        : String.format(Locale.ROOT, "%,d", Long.parseLong(figure));
  }

  private static String alone(String figure) {
    return "(?<![0-9.,])" + Pattern.quote(figure) + "(?![0-9]|[.,][0-9])";
  }

  private static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
