package io.outbox.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The public types of the modules that users depend on. */
final class PublicApi {

  private PublicApi() {}

  /**
   * @param anchor any type of the module; those of its packages that are exported are returned
   */
  static List<Class<?>> besides(Class<?> anchor) {
    String root = anchor.getPackageName().replace('.', '/');
    try {
      URI location = anchor.getProtectionDomain().getCodeSource().getLocation().toURI();
      if (Files.isDirectory(Path.of(location))) {
        return types(Path.of(location), root);
      }
      try (FileSystem jar = FileSystems.newFileSystem(Path.of(location))) {
        return types(jar.getPath("/"), root);
      }
    } catch (URISyntaxException | IOException e) {
      throw new IllegalStateException("cannot look beside " + anchor, e);
    }
  }

  private static List<Class<?>> types(Path start, String root) {
    try (Stream<Path> files = Files.walk(start)) {
      return files
          .map(file -> start.relativize(file).toString())
          .filter(name -> name.startsWith(root + "/") && name.endsWith(".class"))
          .filter(name -> !name.contains("internal/") && !name.contains("-info"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .<Class<?>>map(PublicApi::load)
          .filter(PublicApi::isPublic)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, PublicApi.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
  }
}
