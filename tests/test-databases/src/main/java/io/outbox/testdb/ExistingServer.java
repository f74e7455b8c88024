package io.outbox.testdb;

import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Finds the server that a system property or an environment variable names, in this order. */
final class ExistingServer {
  private ExistingServer() {}

  static Optional<Endpoint> named(
      TestDatabase kind, UnaryOperator<String> properties, UnaryOperator<String> environment) {
    return setting(kind, "url", properties, environment)
        .map(
            url -> {
              Endpoint server =
                  new Endpoint(
                      kind,
                      checked(kind, url),
                      setting(kind, "user", properties, environment).orElse(defaultUser(kind)),
                      setting(kind, "password", properties, environment).orElse(""));
              return checked(server);
            });
  }

  /** The system property that names an existing server's URL. */
  static String property(TestDatabase kind, String setting) {
    return "outbox.test." + kind.name().toLowerCase(Locale.ROOT) + "." + setting;
  }

  /** The environment variable of the same meaning. */
  static String variable(TestDatabase kind, String setting) {
    return property(kind, setting).replace('.', '_').toUpperCase(Locale.ROOT);
  }

  static String exampleUrl(TestDatabase kind) {
    return switch (kind) {
      case POSTGRES -> "jdbc:postgresql://host:5432/postgres";
      case MARIADB -> "jdbc:mariadb://host:3306/";
      default -> "jdbc:mysql://host:3306/";
    };
  }

  private static Optional<String> setting(
      TestDatabase kind,
      String name,
      UnaryOperator<String> properties,
      UnaryOperator<String> environment) {
    return Optional.ofNullable(properties.apply(property(kind, name)))
        .or(() -> Optional.ofNullable(environment.apply(variable(kind, name))))
        .filter(value -> !value.isBlank());
  }

  private static String defaultUser(TestDatabase kind) {
    return kind == TestDatabase.POSTGRES ? "postgres" : "root";
  }

  private static String checked(TestDatabase kind, String url) {
    String example = exampleUrl(kind);
    if (!url.startsWith(example.substring(0, example.indexOf("host")))) {
      throw new IllegalStateException(
          "%s (or %s) is \"%s\", expected a URL such as %s"
              .formatted(property(kind, "url"), variable(kind, "url"), url, example));
    }
    return url;
  }

  /** MariaDB and MySQL answer to each other's protocol: a test must not pass on the wrong one. */
  private static Endpoint checked(Endpoint server) {
    String version = server.version();
    boolean mariaDb = version.contains("MariaDB");
    if (server.kind() == TestDatabase.MARIADB ? !mariaDb : mariaDb) {
      throw new IllegalStateException(
          "%s names %s, but that server is %s"
              .formatted(property(server.kind(), "url"), server.url(), version));
    }
    return server;
  }
}
