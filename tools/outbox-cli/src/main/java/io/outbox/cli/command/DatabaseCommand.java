package io.outbox.cli.command;

import io.outbox.cli.connect.ConnectionOptions;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.connect.Target;
import io.outbox.cli.output.Output;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** A command that works on a table. */
public abstract class DatabaseCommand extends OutboxCommand {

  /** What is worth saying a command says itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  @ArgGroup(validate = false, order = 90, heading = "%nConnection:%n")
  private ConnectionOptions connection = new ConnectionOptions();

  @Option(names = "--json", description = "Print the result as one JSON document.")
  private boolean json;

  @Override
  public final Integer call() {
    LIBRARY_LOG.setLevel(Level.WARNING);
    Output output = output(json);
    try (OutboxSession session = new OutboxSession(target())) {
      if (needsTable()) {
        session.requireTable();
      }
      return run(session, output);
    }
  }

  private Target target() {
    return connection.target(
        commandLine(), context().environment(), context().terminal(), createsDatabase());
  }

  /** Whether a database in a file may be created. */
  protected boolean createsDatabase() {
    return false;
  }

  /** Whether it can do nothing without the outbox table. */
  protected boolean needsTable() {
    return true;
  }

  /** Does it, and returns the exit code. */
  protected abstract int run(OutboxSession session, Output output);
}
