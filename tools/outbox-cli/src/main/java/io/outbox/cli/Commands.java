package io.outbox.cli;

import io.outbox.cli.archive.ArchiveCommand;
import io.outbox.cli.change.KillCommand;
import io.outbox.cli.change.PauseCommand;
import io.outbox.cli.change.PurgeCommand;
import io.outbox.cli.change.ReleaseCommand;
import io.outbox.cli.change.ReplayCommand;
import io.outbox.cli.change.RescheduleCommand;
import io.outbox.cli.change.ResumeCommand;
import io.outbox.cli.change.SkipCommand;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.cli.move.ImportCommand;
import io.outbox.cli.query.AuditCommand;
import io.outbox.cli.query.BlockedCommand;
import io.outbox.cli.query.ListCommand;
import io.outbox.cli.query.ShowCommand;
import io.outbox.cli.query.StatusCommand;
import io.outbox.cli.schema.SchemaCommand;
import io.outbox.cli.subscription.SubscriptionsCommand;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** All commands, in the order in which help shows them. */
final class Commands {

  private static final Map<String, Supplier<OutboxCommand>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("status", StatusCommand::new);
    ALL.put("list", ListCommand::new);
    ALL.put("show", ShowCommand::new);
    ALL.put("blocked", BlockedCommand::new);
    ALL.put("audit", AuditCommand::new);
    ALL.put("doctor", DoctorCommand::new);
    ALL.put("replay", ReplayCommand::new);
    ALL.put("kill", KillCommand::new);
    ALL.put("reschedule", RescheduleCommand::new);
    ALL.put("release", ReleaseCommand::new);
    ALL.put("skip", SkipCommand::new);
    ALL.put("purge", PurgeCommand::new);
    ALL.put("pause", PauseCommand::new);
    ALL.put("resume", ResumeCommand::new);
    ALL.put("archive", ArchiveCommand::new);
    ALL.put("subscriptions", SubscriptionsCommand::new);
    ALL.put("schema", SchemaCommand::new);
    ALL.put("import", ImportCommand::new);
    ALL.put("console", ConsoleCommand::new);
    ALL.put("relay", RelayCommand::new);
    ALL.put("demo", DemoCommand::new);
    ALL.put("bench", BenchCommand::new);
    ALL.put("completion", CompletionCommand::new);
  }

  private Commands() {}

  /** Adds the one that is called, because building all of them takes longer than most queries. */
  static void add(CommandLine root, String... words) {
    if (words.length > 0 && ALL.containsKey(words[0])) {
      root.addSubcommand(words[0], ALL.get(words[0]).get());
    } else {
      ALL.forEach((name, command) -> root.addSubcommand(name, command.get()));
    }
  }
}
