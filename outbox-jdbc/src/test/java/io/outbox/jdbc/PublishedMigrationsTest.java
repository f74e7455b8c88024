package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Published migrations for Flyway and Liquibase, which the build writes from the schema ({@code
 * src/main/build/MigrationFiles.java}), do not change: a changed change set is a checksum error in
 * every application that has run it, and a changed repeatable script never brings a column to a
 * table that is there.
 */
class PublishedMigrationsTest {

  private static final Path BASE = Path.of(System.getProperty("basedir", ""));
  private static final Path SCHEMA = BASE.resolve("target/classes/schema");
  private static final Path LIST = BASE.resolve("src/test/resources/published-migrations.txt");

  @Test
  void publishedFilesAndChangeSetsStayAsTheyAre() throws IOException {
    Map<String, String> published = new TreeMap<>();
    for (String line : Files.readAllLines(LIST)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.split(" ", 2);
        published.put(parts[1], parts[0]);
      }
    }
    assertThat(found())
        .as(
            "A migration that is published was changed or removed, or there is a new one."
                + " Undo a change: add a file for Flyway and a change set for Liquibase instead,"
                + " and list those in %s",
            LIST)
        .containsExactlyEntriesOf(published);
  }

  /** Files for Flyway and change sets for Liquibase, and their hashes. */
  private static Map<String, String> found() throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (Path file : files("outbox-flyway")) {
      found.put(name(file), hash(Files.readString(file)));
    }
    for (Path file : files("outbox-liquibase")) {
      String[] sets = Files.readString(file).split("(?m)^--changeset ");
      for (String set : List.of(sets).subList(1, sets.length)) {
        found.put(name(file) + "#" + set.split("\\s", 2)[0], hash(set.strip()));
      }
    }
    return found;
  }

  private static List<Path> files(String directory) throws IOException {
    try (Stream<Path> all = Files.walk(SCHEMA)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> name(file).startsWith(directory))
          .sorted()
          .toList();
    }
  }

  private static String name(Path file) {
    return SCHEMA.relativize(file).toString().replace('\\', '/');
  }

  private static String hash(String text) {
    try {
      byte[] bytes = text.replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
