package io.outbox.cli;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.Interruption;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.cli.connect.ConnectionOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.connect.SecretFile;
import io.outbox.cli.connect.Target;
import io.outbox.cli.output.Output;
import io.outbox.console.ConsoleRole;
import io.outbox.console.OutboxConsole;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "console",
    header = "Serve the web console until Ctrl-C.",
    description = {
      "It listens on this machine only. With another --bind, also say who may",
      "sign in: by token, through a proxy, or from networks. Tokens come from files and have at least",
      "16 characters. The audit shows the name of a token.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox console",
      "  outbox console --port 0 --read-only",
      "  outbox console --bind 0.0.0.0 --token-file ann=/run/secrets/ann --token-file bob=/run/bob",
      "  outbox console --bind 0.0.0.0 --trusted-proxy 10.0.0.7 --user-header X-Forwarded-User",
    })
final class ConsoleCommand extends OutboxCommand {

  private static final int CONNECTIONS = 4;

  private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9._@-]+)=(.+)");

  /** Kept here so that it is not collected. */
  private static final Logger POOL_LOG = Logger.getLogger("com.zaxxer.hikari");

  private static final Logger SERVER_LOG = Logger.getLogger("org.eclipse.jetty");

  /** What it warns of at its start is said here in the words of the command line. */
  private static final Logger START_LOG = Logger.getLogger(OutboxConsole.class.getName());

  @ArgGroup(validate = false, order = 90, heading = "%nConnection:%n")
  private ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "" + OutboxConsole.DEFAULT_PORT,
      description = "Where it listens; 0 for any free port. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The address it listens on. Default: this machine only.")
  private InetAddress bind;

  @Option(
      names = "--token-file",
      paramLabel = "[NAME=]FILE",
      description = "Token of an operator: the first line of this file. Repeatable.")
  private List<String> tokenFiles = List.of();

  @Option(
      names = "--read-only-token-file",
      paramLabel = "[NAME=]FILE",
      description = "Token of a user who may only look. Repeatable.")
  private List<String> readOnlyTokenFiles = List.of();

  @Option(
      names = "--trusted-proxy",
      paramLabel = "NETWORK",
      description = "Proxy whose X-Forwarded-For and -Proto count. Repeatable.")
  private List<String> trustedProxies = List.of();

  @Option(
      names = "--user-header",
      paramLabel = "HEADER",
      description = "Header in which a trusted proxy names the user.")
  private String userHeader;

  @Option(
      names = "--anonymous-from",
      paramLabel = "NETWORK",
      description = "Network from which nobody has to sign in. Repeatable.")
  private List<String> anonymousFrom = List.of();

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "A host name of the console, such as the proxy's. Repeatable.")
  private List<String> hosts = List.of();

  @Option(
      names = "--environment",
      paramLabel = "NAME[:COLOR]",
      description = {
        "Shown on every page, for example production:red. Colors: red, orange, yellow, green,",
        "blue, purple, gray."
      })
  private String environment;

  @Option(
      names = "--archive-files",
      paramLabel = "DIRECTORY",
      description = "Show the archive in these files. Default: the archive table, if there is one.")
  private Path archiveFiles;

  @Option(names = "--read-only", description = "Without a token, users may only look.")
  private boolean readOnly;

  @Override
  public Integer call() {
    if (bind != null && !bind.isLoopbackAddress() && isOpen()) {
      throw wrong(
          "a console that listens beyond this machine needs --token-file, --user-header or"
              + " --anonymous-from");
    }
    Target target =
        connection.target(commandLine(), context().environment(), context().terminal(), false);
    Output output = output(false);
    POOL_LOG.setLevel(Level.WARNING);
    SERVER_LOG.setLevel(Level.WARNING);
    START_LOG.setLevel(Level.SEVERE);
    try (OutboxSession session = new OutboxSession(target)) {
      session.requireTable();
    }
    try (HikariDataSource pool = target.pool(CONNECTIONS);
        Interruption interruption = Interruption.watch();
        OutboxConsole console = console(target, pool).start()) {
      output.line("The console is at " + console.url());
      welcome().ifPresent(output::note);
      output.note("Ctrl-C ends it.");
      interruption.await();
    }
    return ExitCode.OK;
  }

  private boolean isOpen() {
    return isAnonymous() && anonymousFrom.isEmpty();
  }

  private boolean isAnonymous() {
    return tokenFiles.isEmpty() && readOnlyTokenFiles.isEmpty() && userHeader == null;
  }

  /** Who gets in without signing in. */
  private Optional<String> welcome() {
    String networks = anonymousFrom.isEmpty() ? "" : String.join(", ", anonymousFrom) + " and ";
    return isAnonymous()
        ? Optional.of(
            "It lets in everybody from "
                + networks
                + "this machine without signing in, "
                + (readOnly ? "to look." : "to look and to act (--read-only, --token-file)."))
        : Optional.empty();
  }

  private OutboxConsole console(Target target, HikariDataSource pool) {
    ConnectionProvider connections = new DataSourceConnectionProvider(pool);
    OutboxStore store = JdbcOutboxStores.detect(pool, target.table());
    OutboxConsole.Builder console =
        OutboxConsole.builder()
            .operator(target.table(), OutboxOperator.of(connections, store))
            .archive(
                target.table(),
                archiveFiles == null
                    ? EventArchive.ofTable(connections, store)
                    : EventArchive.ofFiles(connections, store, archiveFiles))
            .port(port)
            .anonymous(readOnly ? ConsoleRole.READ_ONLY : ConsoleRole.OPERATOR);
    if (bind != null) {
      console.bindAddress(bind);
    }
    tokenFiles.forEach(file -> addToken(console, file, ConsoleRole.OPERATOR));
    readOnlyTokenFiles.forEach(file -> addToken(console, file, ConsoleRole.READ_ONLY));
    if (environment != null) {
      String[] parts = environment.split(":", 2);
      console.environment(parts[0], parts.length == 1 ? null : parts[1]);
    }
    trustedProxies.forEach(console::trustedProxy);
    anonymousFrom.forEach(console::anonymousFrom);
    if (userHeader != null) {
      console.proxyUsers(
          userHeader, name -> readOnly ? ConsoleRole.READ_ONLY : ConsoleRole.OPERATOR);
    }
    hosts.forEach(console::allowedHost);
    try {
      return console.build();
    } catch (IllegalStateException e) {
      throw wrong(e.getMessage());
    }
  }

  private void addToken(OutboxConsole.Builder console, String given, ConsoleRole role) {
    Matcher named = NAMED.matcher(given);
    if (named.matches()) {
      String token = SecretFile.read(commandLine(), Path.of(named.group(2)));
      console.token(named.group(1), token, role);
    } else {
      console.token(SecretFile.read(commandLine(), Path.of(given)), role);
    }
  }
}
