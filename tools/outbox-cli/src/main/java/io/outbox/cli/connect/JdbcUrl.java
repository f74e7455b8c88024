package io.outbox.cli.connect;

import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/** The address of a database. */
public record JdbcUrl(String text) {

  /** For example {@code ?password=secret}, {@code ;PASSWORD=secret} or {@code &sslpassword=…}. */
  private static final Pattern PARAMETER =
      Pattern.compile("(?i)([?&;]\\s*\\w*(?:password|passwd|pwd)\\d?\\s*=)[^&;\\s]*");

  /** For example {@code //user:secret@host}. */
  private static final Pattern USER_INFO = Pattern.compile("(//[^/@:?\\s]*:)[^?\\s]*@");

  public JdbcUrl {
    Objects.requireNonNull(text, "url");
  }

  /** Text without the passwords of any addresses in it. */
  public static String redact(String text) {
    String without = PARAMETER.matcher(text).replaceAll("$1***");
    return USER_INFO.matcher(without).replaceAll("$1***@");
  }

  boolean hasPassword() {
    return PARAMETER.matcher(text).find() || USER_INFO.matcher(text).find();
  }

  /**
   * What stands after {@code jdbc:}, for example {@code postgresql}; empty if it is another URL.
   */
  public String scheme() {
    String[] parts = text.split(":", 3);
    return parts.length == 3 && parts[0].equalsIgnoreCase("jdbc")
        ? parts[1].toLowerCase(Locale.ROOT)
        : "";
  }

  boolean isH2File() {
    return scheme().equals("h2")
        && !text.matches("(?i)jdbc:h2:(mem|tcp|ssl|zip):.*")
        && !text.matches("(?i).*;AUTO_SERVER=TRUE.*");
  }

  /**
   * An H2 in a file, to be opened only if it is there: looking must not create one. It is closed by
   * us, not by its own hook in the middle of a batch when the process is told to end.
   */
  JdbcUrl existingH2() {
    return with("IFEXISTS", "TRUE").closedByUs();
  }

  /** An H2 in a file, created if it is not there. */
  JdbcUrl closedByUs() {
    return with("DB_CLOSE_ON_EXIT", "FALSE");
  }

  private JdbcUrl with(String setting, String value) {
    boolean isSaid = text.toUpperCase(Locale.ROOT).contains(";" + setting + "=");
    return isSaid ? this : new JdbcUrl(text + ";" + setting + "=" + value);
  }

  /** The same server through the driver of MariaDB. */
  JdbcUrl forMariaDbDriver() {
    return new JdbcUrl(text.replaceFirst("(?i)^jdbc:mysql:", "jdbc:mariadb:"));
  }

  /** Without passwords. */
  @Override
  public String toString() {
    return redact(text);
  }
}
