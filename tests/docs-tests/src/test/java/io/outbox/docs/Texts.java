package io.outbox.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Files of the repository. */
final class Texts {

  /** The repository's root, whatever directory the build was started in. */
  static final Path ROOT =
      Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent().getParent();

  private Texts() {}

  /** Every page that users and contributors read. */
  static List<Path> pages() {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The pages of single modules. */
  static List<Path> readmes() {
    try (Stream<Path> samples = Files.list(ROOT.resolve("samples"))) {
      return Stream.concat(Stream.of(ROOT.resolve("benchmarks")), samples)
          .map(module -> module.resolve("README.md"))
          .filter(Files::exists)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path page(String path) {
    return ROOT.resolve(path);
  }

  static List<String> lines(Path file) {
    return read(file).lines().toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
