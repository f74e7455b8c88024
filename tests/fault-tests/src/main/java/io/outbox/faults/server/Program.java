package io.outbox.faults.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A file that a scenario needs, and the Debian package that it comes with.
 *
 * @param paths where it may be
 */
public record Program(String debianPackage, List<String> paths) implements Need {

  public static final Program PGBOUNCER =
      of("pgbouncer", "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer");
  public static final Program FAKETIME =
      of("faketime", "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");
  public static final Program GALERA = of("galera-4", "/usr/lib/galera/libgalera_smm.so");
  public static final Program MARIADB = of("mariadb-server", "/usr/sbin/mariadbd");
  public static final Program RSYNC = of("rsync", "/usr/bin/rsync");
  public static final Program RABBITMQ = of("rabbitmq-server", "/usr/sbin/rabbitmq-server");

  private static Program of(String debianPackage, String... paths) {
    return new Program(debianPackage, Arrays.asList(paths));
  }

  @Override
  public boolean isMissing() {
    return paths.stream().noneMatch(path -> Files.isReadable(Path.of(path)));
  }

  @Override
  public String text() {
    return "%s (apt-get install %s)".formatted(debianPackage, debianPackage);
  }

  public Path path() {
    return paths.stream()
        .map(Path::of)
        .filter(Files::isReadable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("needs " + debianPackage));
  }
}
