package io.outbox.faults.server;

import java.nio.file.Files;
import java.nio.file.Path;

/** Something that a scenario cannot do without. */
public interface Need {

  boolean isMissing();

  /** What it is, and how to get it. */
  String text();

  /** The rights to mount a file system. */
  Need ROOT =
      new Need() {
        @Override
        public boolean isMissing() {
          return !System.getProperty("user.name").equals("root");
        }

        @Override
        public String text() {
          return "root, to mount a small disk";
        }
      };

  /** The server that the Maven profile mysql fetches. */
  Need MYSQL =
      new Need() {
        @Override
        public boolean isMissing() {
          String zip = System.getProperty("outbox.test.mysql.zip");
          return zip == null || !Files.isReadable(Path.of(zip));
        }

        @Override
        public String text() {
          return "MySQL's 553 MB (mvn test -Pmysql -pl tests/test-databases fetches them)";
        }
      };
}
