package io.outbox.cli.move;

import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.move.ImportReport.Action;
import io.outbox.cli.move.mapping.Mapping;
import io.outbox.cli.move.mapping.Mappings;
import io.outbox.cli.move.mapping.RowKind;
import io.outbox.cli.output.Output;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "import",
    header = "Import events from the table of another library.",
    description = {
      "A mapping says which rows become events, and how: namastack, modulith, debezium, or your",
      "own file. The source table is in the same database.",
      "",
      "With --take each batch leaves the source table in the transaction that writes its events:",
      "no event is lost or doubled, even if it is killed. With --copy the source table stays as",
      "it is. Run it again to continue; what is there already is not written again. Every batch",
      "is read back and compared before its commit. Ctrl-C stops between two batches.",
    },
    subcommands = ImportMappingCommand.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox import --from namastack --dry-run",
      "  outbox import --from namastack --take --follow 10m",
      "  outbox import --from mine.yaml --copy --rows finished,dead",
      "  outbox import --from mine.yaml --verify --rows finished,dead",
    })
public final class ImportCommand extends DatabaseCommand {

  private static final int LARGEST_BATCH = 2_000;
  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  /** What to do; one of them. */
  static final class Mode {

    @Option(
        names = "--dry-run",
        description = "Only show how many rows would be imported, and the first as events.")
    private boolean dryRun;

    @Option(names = "--verify", description = "Only compare all rows with the outbox table.")
    private boolean verify;

    @Option(names = "--copy", description = "Import, and leave the source table as it is.")
    private boolean copy;

    @Option(
        names = "--take",
        description = "Import, and remove pending rows from the source table.")
    private boolean take;

    private Action action() {
      if (dryRun || verify) {
        return dryRun ? Action.DRY_RUN : Action.VERIFY;
      }
      return take ? Action.TAKE : Action.COPY;
    }
  }

  @ArgGroup(multiplicity = "0..1", order = 10, heading = "%nOne of:%n")
  private Mode mode;

  @Option(
      names = "--from",
      paramLabel = "MAPPING",
      description = "namastack, modulith, debezium, or a file; see docs/moving.md.")
  private String from;

  @Option(
      names = "--source-table",
      paramLabel = "NAME",
      description = "The source table, if not that of the mapping.")
  private String sourceTable;

  @Option(
      names = "--rows",
      paramLabel = "KIND",
      split = ",",
      description = "pending, finished or dead rows. Default: pending.")
  private List<RowKind> kinds = List.of(RowKind.PENDING);

  @Option(
      names = "--follow",
      paramLabel = "TIME",
      description = "With --take: continue until nothing new came for this time.")
  private Duration follow = Duration.ZERO;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = "Only events that occurred this long ago.")
  private Duration olderThan = Duration.ZERO;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Stop after so many rows. Default: all.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Rows in a transaction, up to 2000. Default: 500.")
  private int batch = 500;

  @Override
  protected int run(OutboxSession session, Output output) {
    check();
    Mapping mapping = Mappings.load(from, context().environment()::get);
    if (sourceTable != null) {
      mapping = mapping.from(sourceTable);
    }
    for (RowKind kind : kinds) {
      if (!mapping.kinds().contains(kind)) {
        throw wrong("the mapping " + from + " does not say which rows are " + kind);
      }
    }
    try {
      return run(session, SourceTable.open(session.connection(), mapping), output);
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "the import from " + mapping.origin().table() + " failed: " + e.getMessage(), e);
    }
  }

  private void check() {
    if (from == null) {
      throw wrong("which mapping? Name it with --from: namastack, modulith, debezium, or a file");
    } else if (mode == null) {
      throw wrong("look with --dry-run first, then say --take or --copy, or compare with --verify");
    } else if (limit < 1) {
      throw wrong("--limit must be 1 or more");
    } else if (batch < 1 || batch > LARGEST_BATCH) {
      throw wrong("--batch must be from 1 to " + LARGEST_BATCH);
    } else if (follow.isNegative() || follow.compareTo(LONGEST_WAIT) > 0) {
      throw wrong("--follow must be from 0s to " + LONGEST_WAIT.toDays() + "d");
    } else if (olderThan.isNegative()) {
      throw wrong("--older-than must be 0s or more");
    } else if (!follow.isZero() && mode.action() != Action.TAKE) {
      throw wrong("--follow needs --take: a copy would not know which rows are new");
    }
  }

  private int run(OutboxSession session, SourceTable source, Output output) throws SQLException {
    if (!olderThan.isZero() && !source.knowsTime()) {
      throw wrong("--older-than needs a mapping with occurred-at");
    }
    Action action = mode.action();
    Rows rows = new Rows(olderThan, source.mapping().taken().isEmpty());
    TargetEvents target = new TargetEvents(session);
    boolean changes = action == Action.COPY || action == Action.TAKE;
    Step step =
        changes
            ? new Transfer(session, source, target, rows, action == Action.TAKE)
            : new Comparison(session, source, target, rows);
    ImportOptions options =
        new ImportOptions(kinds.stream().distinct().toList(), limit, batch, follow);
    ImportRun run = new ImportRun(session, source, output, options);
    run.run(step, action == Action.TAKE);
    boolean ofAll = limit == Long.MAX_VALUE && olderThan.isZero();
    return new ImportReport(action, ofAll, source.name(), output)
        .print(run.tally(), run.counts(), run.wasStopped());
  }
}
