package io.outbox.cli.connect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** A file with a password or a token in its first line. */
public final class SecretFile {

  private SecretFile() {}

  /**
   * The first line.
   *
   * @throws ParameterException if there is none
   */
  public static String read(CommandLine command, Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .findFirst()
          .orElseThrow(() -> new ParameterException(command, "the file " + file + " is empty"));
    } catch (IOException | UncheckedIOException e) {
      throw new ParameterException(command, "the file " + file + " cannot be read");
    }
  }
}
