package io.outbox.cli;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.cli.connect.ConnectionOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.connect.SecretFile;
import io.outbox.cli.connect.Target;
import io.outbox.cli.output.Output;
import io.outbox.console.ConsoleRole;
import io.outbox.console.OutboxConsole;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.OutboxOperator;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "console",
    header = "Serve the web console until Ctrl-C.",
    description = {
      "It listens on this machine only, unless --bind says otherwise; then it wants a token, which",
      "whoever opens the page has to know. Tokens come from files, at least 16 characters long.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox console",
      "  outbox console --port 0 --read-only",
      "  outbox console --bind 0.0.0.0 --token-file /run/secrets/console-token",
    })
final class ConsoleCommand extends OutboxCommand {

  private static final int CONNECTIONS = 4;

  /** Kept here so that it is not collected. */
  private static final Logger POOL_LOG = Logger.getLogger("com.zaxxer.hikari");

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
      paramLabel = "FILE",
      description = "Lets in operators who know the first line of this file.")
  private Path tokenFile;

  @Option(
      names = "--read-only-token-file",
      paramLabel = "FILE",
      description = "Lets in who may only look.")
  private Path readOnlyTokenFile;

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "A name under which it may be called, such as that of a proxy.")
  private String host;

  @Option(names = "--read-only", description = "Without tokens: everybody may only look.")
  private boolean readOnly;

  @Override
  public Integer call() {
    if (bind != null
        && !bind.isLoopbackAddress()
        && tokenFile == null
        && readOnlyTokenFile == null) {
      throw wrong("off this machine the console wants a --token-file");
    }
    Target target =
        connection.target(
            commandLine(), surroundings().environment(), surroundings().terminal(), false);
    Output output = output(false);
    POOL_LOG.setLevel(Level.WARNING);
    try (OutboxSession session = new OutboxSession(target)) {
      session.requireTable();
    }
    try (HikariDataSource pool = target.pool(CONNECTIONS);
        Interruption interruption = Interruption.watch();
        OutboxConsole console = console(target, pool).start()) {
      output.line("The console is at " + console.url());
      output.note("Ctrl-C ends it.");
      interruption.await();
    }
    return ExitCode.OK;
  }

  private OutboxConsole console(Target target, HikariDataSource pool) {
    OutboxOperator operator =
        OutboxOperator.of(
            new DataSourceConnectionProvider(pool), JdbcOutboxStores.detect(pool, target.table()));
    OutboxConsole.Builder console =
        OutboxConsole.builder()
            .operator(target.table(), operator)
            .port(port)
            .anonymous(readOnly ? ConsoleRole.READ_ONLY : ConsoleRole.OPERATOR);
    if (bind != null) {
      console.bindAddress(bind);
    }
    if (tokenFile != null) {
      console.token(SecretFile.read(commandLine(), tokenFile), ConsoleRole.OPERATOR);
    }
    if (readOnlyTokenFile != null) {
      console.token(SecretFile.read(commandLine(), readOnlyTokenFile), ConsoleRole.READ_ONLY);
    }
    if (host != null) {
      console.allowedHost(host);
    }
    return console.build();
  }
}
