package io.outbox.testbrokers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of this machine. */
final class Programs {

  /** Where servers are, though an ordinary user's PATH does not say so. */
  private static final String SYSTEM_PROGRAMS = "/usr/sbin";

  private Programs() {}

  static Optional<Path> find(String name) {
    return find(name, System.getenv("PATH"));
  }

  static Optional<Path> find(String name, String path) {
    String directories = path == null ? "" : path;
    return Stream.concat(
            Stream.of(directories.split(File.pathSeparator)), Stream.of(SYSTEM_PROGRAMS))
        .filter(directory -> !directory.isBlank())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * What a program is called through; Debian starts RabbitMQ through a script that insists on a
   * separate user.
   */
  static Path withoutWrapper(Path program, String wrapper) throws IOException {
    Path real = program.toRealPath();
    return real.getFileName().toString().equals(wrapper)
        ? real.resolveSibling(program.getFileName())
        : program;
  }
}
