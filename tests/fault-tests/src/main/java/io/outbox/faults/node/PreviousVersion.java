package io.outbox.faults.node;

import io.outbox.faults.server.Need;
import java.nio.file.Files;
import java.nio.file.Path;

/** An earlier version of the project, compiled in a separate directory. */
public final class PreviousVersion {

  private static final String PROPERTY = "outbox.previous";

  public static final Need NEED =
      new Need() {
        @Override
        public boolean isMissing() {
          return System.getProperty(PROPERTY) == null || !isCompiled();
        }

        @Override
        public String text() {
          return "a clone with an earlier version, compiled (--previous DIRECTORY)";
        }
      };

  private PreviousVersion() {}

  public static void isIn(String directory) {
    System.setProperty(PROPERTY, directory);
  }

  public static Path directory() {
    return Path.of(System.getProperty(PROPERTY)).toAbsolutePath();
  }

  private static boolean isCompiled() {
    return Files.isDirectory(directory().resolve("outbox-core/target/classes"))
        && Files.isDirectory(directory().resolve("outbox-jdbc/target/classes"));
  }
}
