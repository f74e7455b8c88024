package io.outbox.cli.query;

import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.Failures;
import io.outbox.cli.command.StatusView;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.operate.Overview;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "status",
    header = "Show what is in the table, what is stuck, and why.",
    description = {
      "Counts are exact while counting is cheap; larger ones are shown as \"at least\" or,",
      "from the database's statistics, as \"about\".",
      "",
      "With --watch it repeats until Ctrl-C; with --json each result is one line.",
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox status",
      "  outbox status --watch 5s",
      "  outbox status --json | jq .counts.DEAD.value",
    })
public final class StatusCommand extends DatabaseCommand {

  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "2s",
      paramLabel = "TIME",
      description = "Repeat after this time. Default: ${FALLBACK-VALUE}.")
  private Duration watch;

  @Option(names = "--times", paramLabel = "N", description = "With --watch: how often, then end.")
  private long times = Long.MAX_VALUE;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (watch != null && watch.compareTo(SHORTEST) < 0) {
      throw wrong("--watch must be 100ms or more");
    }
    StatusView view = new StatusView(session, output);
    if (watch == null) {
      view.show(session.operator().overview());
      return ExitCode.OK;
    }
    return watch(session, output, view);
  }

  private int watch(OutboxSession session, Output output, StatusView view) {
    boolean seen = false;
    for (long look = 1; ; look++) {
      try {
        Overview overview = session.operator().overview();
        if (!output.isJson() && (seen || output.terminal().outIsScreen())) {
          output.nextPicture();
        }
        if (output.isJson()) {
          output.jsonLine(view.json(overview));
        } else {
          view.show(overview);
        }
        seen = true;
      } catch (RuntimeException e) {
        if (!seen) {
          throw e;
        }
        output.note("outbox: " + Failures.message(e) + "; trying again");
        session.reconnect();
      }
      if (look >= times || !pause()) {
        return ExitCode.OK;
      }
    }
  }

  private boolean pause() {
    try {
      TimeUnit.NANOSECONDS.sleep(watch.toNanos());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
