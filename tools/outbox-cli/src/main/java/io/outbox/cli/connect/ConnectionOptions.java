package io.outbox.cli.connect;

import io.outbox.cli.output.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which database and which table. A password is never an argument. */
public final class ConnectionOptions {

  private static final String DEFAULT_TABLE = "outbox_event";
  private static final String NO_PASSWORD_HERE =
      "everyone on this machine can read a password on the command line: ";
  private static final String INSTEAD =
      "set OUTBOX_PASSWORD, name a --password-file, or let --password ask for it";

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The database, such as jdbc:postgresql://host/shop. Or OUTBOX_URL.")
  private String url;

  @Option(names = "--user", paramLabel = "NAME", description = "The database user. Or OUTBOX_USER.")
  private String user;

  @Option(
      names = "--password",
      description = "Ask for the password on the terminal. Or OUTBOX_PASSWORD.")
  private boolean askForPassword;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file whose first line is the password.")
  private Path passwordFile;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The outbox table, if not outbox_event. Or OUTBOX_TABLE.")
  private String table;

  @Option(
      names = "--driver",
      paramLabel = "JAR",
      split = ",",
      description =
          "Your own JDBC driver. Or OUTBOX_DRIVER. Included: PostgreSQL, MariaDB (for MySQL"
              + " too), H2.")
  private List<Path> drivers = new ArrayList<>();

  /** The outbox table. */
  public String table(Map<String, String> environment) {
    return given(table, environment, "OUTBOX_TABLE", DEFAULT_TABLE);
  }

  /** The address as it was given; null if none was. */
  public JdbcUrl url(CommandLine command, Map<String, String> environment) {
    String text = given(url, environment, "OUTBOX_URL", null);
    JdbcUrl address = text == null ? null : new JdbcUrl(text.strip());
    if (address != null && address.hasPassword()) {
      throw new ParameterException(
          command,
          (url == null ? "OUTBOX_URL has a password in it: " : NO_PASSWORD_HERE)
              + "take it out of "
              + address
              + ", and "
              + INSTEAD);
    }
    return address;
  }

  /**
   * Says how to go to the database, without going there.
   *
   * @param create whether an H2 file that is not there may be created
   */
  public Target target(
      CommandLine command, Map<String, String> environment, Terminal terminal, boolean create) {
    JdbcUrl address = url(command, environment);
    if (address == null) {
      throw new ParameterException(
          command,
          "which database? Name it with --url, for example --url"
              + " jdbc:postgresql://localhost:5432/shop, or set OUTBOX_URL");
    }
    JdbcUrl prepared = address;
    if (address.isH2File()) {
      prepared = create ? address.closedByUs() : address.existingH2();
    }
    return new Target(
        address,
        new Drivers(jars(environment)).route(prepared),
        given(user, environment, "OUTBOX_USER", null),
        password(command, environment, terminal),
        table(environment));
  }

  private List<Path> jars(Map<String, String> environment) {
    String fromEnvironment = environment.getOrDefault("OUTBOX_DRIVER", "");
    return drivers.isEmpty()
        ? Arrays.stream(fromEnvironment.split(","))
            .filter(jar -> !jar.isBlank())
            .map(Path::of)
            .toList()
        : drivers;
  }

  private String password(CommandLine command, Map<String, String> environment, Terminal terminal) {
    if (passwordFile != null && askForPassword) {
      throw new ParameterException(command, "--password and --password-file exclude each other");
    } else if (passwordFile != null) {
      return SecretFile.read(command, passwordFile);
    } else if (askForPassword) {
      return asked(command, terminal);
    }
    return environment.get("OUTBOX_PASSWORD");
  }

  private static String asked(CommandLine command, Terminal terminal) {
    if (!terminal.canAsk()) {
      throw new ParameterException(
          command,
          "--password asks on a terminal, and there is none; set OUTBOX_PASSWORD or name a"
              + " --password-file");
    }
    char[] answer = terminal.askSecret("Password: ");
    return answer == null ? "" : new String(answer);
  }

  private static String given(
      String option, Map<String, String> environment, String variable, String otherwise) {
    String value = option == null ? environment.get(variable) : option;
    return value == null || value.isBlank() ? otherwise : value;
  }

  /**
   * Why these words must not be used; null if nothing is wrong with them. To be asked before
   * anything repeats them.
   */
  public static String passwordAmong(String... words) {
    return Arrays.stream(words).anyMatch(word -> word.startsWith("--password="))
        ? NO_PASSWORD_HERE + INSTEAD
        : null;
  }
}
