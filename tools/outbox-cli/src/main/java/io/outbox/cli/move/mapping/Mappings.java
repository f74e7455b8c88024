package io.outbox.cli.move.mapping;

import io.outbox.relay.yaml.Problems;
import io.outbox.relay.yaml.Secrets;
import io.outbox.relay.yaml.Variables;
import io.outbox.relay.yaml.YamlFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The mappings that come with this program, and those in files. */
public final class Mappings {

  /** Those that come with this program. */
  public static final List<String> BUILT_IN = List.of("namastack", "modulith", "debezium");

  private Mappings() {}

  /** The text of a mapping that comes with this program. */
  public static String text(String builtIn) {
    if (!BUILT_IN.contains(builtIn)) {
      throw new IllegalArgumentException(
          "there is no mapping '" + builtIn + "'; there are " + String.join(", ", BUILT_IN));
    }
    try (InputStream in = Mappings.class.getResourceAsStream(builtIn + ".yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the mapping " + builtIn + " cannot be read", e);
    }
  }

  /**
   * A mapping by its name, or in a file.
   *
   * @throws IllegalArgumentException with all problems
   */
  public static Mapping load(String nameOrFile, UnaryOperator<String> environment) {
    Secrets secrets = new Secrets();
    Problems problems = new Problems(nameOrFile, secrets);
    try (Reader reader = open(nameOrFile)) {
      Optional<Mapping> mapping =
          YamlFile.read(reader, "table", new Variables(environment, secrets), problems)
              .flatMap(root -> new MappingReader(root).read());
      return mapping.orElseThrow(
          () -> new IllegalArgumentException(String.join("; ", problems.lines())));
    } catch (IOException e) {
      throw new IllegalArgumentException("the mapping " + nameOrFile + " cannot be read", e);
    }
  }

  private static Reader open(String nameOrFile) throws IOException {
    if (BUILT_IN.contains(nameOrFile)) {
      return new StringReader(text(nameOrFile));
    }
    Path file = Path.of(nameOrFile);
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException(
          "there is no mapping '"
              + nameOrFile
              + "': name a file, or one of "
              + String.join(", ", BUILT_IN));
    }
    return new BufferedReader(Files.newBufferedReader(file));
  }
}
