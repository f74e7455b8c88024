package io.outbox.testdb;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Enumeration;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Programs of the servers, unpacked once and kept for later JVMs. */
final class Binaries {
  static final String DIRECTORY = "programs";

  private Binaries() {}

  interface Action<T> {
    T run(Path programs) throws IOException;
  }

  /** Runs the action while no other thread or JVM unpacks anything. */
  static synchronized <T> T locked(Action<T> action) throws IOException {
    Path programs = Files.createDirectories(ServerDirectory.home().resolve(DIRECTORY));
    try (FileChannel channel =
        FileChannel.open(
            programs.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.lock();
      return action.run(programs);
    }
  }

  /** Unpacks the entries below {@code prefix} that match {@code wanted}. */
  static Path unpack(String name, Path archive, String prefix, Pattern wanted) throws IOException {
    return locked(
        programs -> {
          Path target = programs.resolve(name);
          if (!Files.exists(target)) {
            Path partial = Files.createTempDirectory(programs, name);
            unpack(archive, prefix, wanted, partial);
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
          }
          return target;
        });
  }

  private static void unpack(Path archive, String prefix, Pattern wanted, Path target)
      throws IOException {
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        if (!entry.isDirectory() && entry.getName().startsWith(prefix)) {
          String file = entry.getName().substring(prefix.length());
          if (wanted.matcher(file).matches()) {
            unpack(zip, entry, target.resolve(file));
          }
        }
      }
    }
  }

  private static void unpack(ZipFile zip, ZipEntry entry, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    try (InputStream content = zip.getInputStream(entry)) {
      Files.copy(content, target);
    }
    if (target.getParent().endsWith("bin") && !target.toFile().setExecutable(true)) {
      throw new IOException("cannot make executable: " + target);
    }
  }
}
