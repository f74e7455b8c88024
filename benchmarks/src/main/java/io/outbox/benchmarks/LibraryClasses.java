package io.outbox.benchmarks;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The class path of a measuring process. */
final class LibraryClasses {

  private static final List<String> MODULES = List.of("outbox-core", "outbox-jdbc", "outbox-gson");
  private static final Path CLASSES = Path.of("target", "classes");

  private LibraryClasses() {}

  /** Those of this version. */
  static String ofThisVersion() {
    return System.getProperty("java.class.path");
  }

  /** The same class path, with our library as it was compiled in another checkout. */
  static String ofCheckout(Path checkout) {
    return ofCheckout(ofThisVersion(), checkout);
  }

  static String ofCheckout(String classPath, Path checkout) {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .map(entry -> inCheckout(Path.of(entry), checkout))
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Path inCheckout(Path entry, Path checkout) {
    return MODULES.stream()
        .filter(module -> isOf(module, entry))
        .findFirst()
        .map(module -> compiled(module, checkout))
        .orElse(entry);
  }

  /** Maven puts a jar on the class path after {@code verify}, and the classes after less. */
  private static boolean isOf(String module, Path entry) {
    return entry.endsWith(Path.of(module).resolve(CLASSES))
        || (entry.getFileName().toString().matches(module + "-[^/]*\\.jar")
            && entry.getParent().endsWith(Path.of(module, "target")));
  }

  private static Path compiled(String module, Path checkout) {
    for (Path folder : List.of(checkout, checkout.resolve("integrations"))) {
      Path classes = folder.resolve(module).resolve(CLASSES);
      if (Files.isDirectory(classes)) {
        return classes;
      }
    }
    throw new IllegalArgumentException(
        "--compare-with: %s is not compiled in %s".formatted(module, checkout));
  }
}
