package io.outbox.cli.connect;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the driver for an address: first in the jars of the user, then among our own. */
final class Drivers {

  /** By scheme. Taken directly: looking for all drivers takes longer than a query. */
  private static final Map<String, String> OUR_OWN =
      Map.of(
          "postgresql", "org.postgresql.Driver",
          "mariadb", "org.mariadb.jdbc.Driver",
          "h2", "org.h2.Driver");

  private final List<Path> jars;

  Drivers(List<Path> jars) {
    this.jars = List.copyOf(jars);
  }

  /** A driver and the address it understands. */
  record Route(Driver driver, JdbcUrl url) {}

  /**
   * The way to a database.
   *
   * @throws ConnectionProblem if no driver accepts the address
   */
  Route route(JdbcUrl url) {
    return given(url)
        .or(() -> ourOwn(url))
        .or(() -> ourOwn(url.forMariaDbDriver()))
        .orElseThrow(
            () ->
                new ConnectionProblem(
                    "there is no driver for "
                        + url
                        + ": known are jdbc:postgresql:, jdbc:mariadb:, jdbc:mysql: (through the driver"
                        + " of MariaDB) and jdbc:h2:; for others, or another version, name a driver's"
                        + " jar with --driver"));
  }

  private Optional<Route> given(JdbcUrl url) {
    if (jars.isEmpty()) {
      return Optional.empty();
    }
    // Apart from our class path: the user's version of a driver, not ours.
    ClassLoader loader =
        new URLClassLoader(
            jars.stream().map(Drivers::address).toArray(URL[]::new),
            ClassLoader.getPlatformClassLoader());
    return ServiceLoader.load(Driver.class, loader).stream()
        .filter(provider -> provider.type().getClassLoader() == loader)
        .map(ServiceLoader.Provider::get)
        .filter(driver -> accepts(driver, url))
        .map(driver -> new Route(driver, url))
        .findFirst();
  }

  private static URL address(Path jar) {
    if (!Files.isReadable(jar)) {
      throw new ConnectionProblem("the driver " + jar + " cannot be read");
    }
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new ConnectionProblem("the driver " + jar + " cannot be read: " + e.getMessage());
    }
  }

  private static Optional<Route> ourOwn(JdbcUrl url) {
    String type = OUR_OWN.get(url.scheme());
    if (type == null) {
      return Optional.empty();
    }
    try {
      Driver driver = (Driver) Class.forName(type).getDeclaredConstructor().newInstance();
      return Optional.of(new Route(driver, url)).filter(route -> accepts(driver, url));
    } catch (ReflectiveOperationException e) {
      throw new ConnectionProblem("the driver " + type + " is not in this jar");
    }
  }

  private static boolean accepts(Driver driver, JdbcUrl url) {
    try {
      return driver.acceptsURL(url.text());
    } catch (SQLException e) {
      return false;
    }
  }
}
