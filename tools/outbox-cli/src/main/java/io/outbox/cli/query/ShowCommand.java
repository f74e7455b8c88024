package io.outbox.cli.query;

import com.google.gson.JsonObject;
import io.outbox.AggregateType;
import io.outbox.cli.command.DatabaseCommand;
import io.outbox.cli.command.EventJson;
import io.outbox.cli.command.EventTable;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.Waits;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.JsonText;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Style;
import io.outbox.cli.output.Words;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventSummary;
import io.outbox.operate.WaitReasons;
import io.outbox.util.Printable;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    header = "Show one event with its payload, headers, error and neighbors.",
    description =
        "JSON payloads are indented. --raw prints only the payload, unchanged;"
            + " on a terminal, control characters are escaped.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  outbox show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T",
      "  outbox show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --raw > payload.json",
      "  outbox show 01JQ0V6Z0Y8Q4T1M2N3P4R5S6T --json | jq -r .error",
    })
public final class ShowCommand extends DatabaseCommand {

  private static final int BYTES_SHOWN = 4096;

  @Parameters(paramLabel = "ID", description = "The event's id.")
  private String id;

  @Option(names = "--raw", description = "Print the payload only, as it is.")
  private boolean raw;

  @Option(
      names = "--neighbors",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How many events of its key before and behind it, up to 100. Default: ${DEFAULT-VALUE}.")
  private int neighbors;

  @Override
  protected int run(OutboxSession session, Output output) {
    if (neighbors < 0 || neighbors > 100) {
      throw wrong("--neighbors must be between 0 and 100, not " + neighbors);
    }
    Optional<OutboxEvent> found = session.operator().find(id);
    if (found.isEmpty()) {
      output.note("There is no event " + Printable.line(id) + " in " + session.table() + ".");
      return ExitCode.NOTHING_MATCHED;
    }
    OutboxEvent event = found.get();
    if (raw) {
      printRaw(event, output);
      return ExitCode.OK;
    }
    EventSummary summary = EventSummary.of(event);
    WaitReasons reasons = session.operator().waitReasons(List.of(summary));
    List<EventSummary> around =
        neighbors == 0 ? List.of() : session.operator().neighbors(event, neighbors);
    if (output.isJson()) {
      JsonObject json = EventJson.whole(event);
      json.add("waitsFor", Waits.json(reasons.of(summary).orElse(null)));
      json.add("neighbors", EventJson.array(around, EventJson::of));
      output.json(json);
    } else {
      print(event, Waits.text(summary, reasons), around, output);
    }
    return ExitCode.OK;
  }

  private static void printRaw(OutboxEvent event, Output output) {
    boolean screen = output.terminal().outIsScreen();
    if (event.payloadBytes() != null) {
      if (screen) {
        output.line(hex(event.payloadBytes()));
      } else {
        output.verbatim(event.payloadBytes());
      }
    } else if (screen) {
      output.line(Printable.block(event.payloadJson()));
    } else {
      output.verbatim(event.payloadJson().getBytes(StandardCharsets.UTF_8));
    }
  }

  private void print(OutboxEvent event, String waitsFor, List<EventSummary> around, Output output) {
    field(output, "id", event.eventId());
    field(output, "type", event.eventType());
    field(output, "state", EventSummary.of(event).state().name());
    field(output, "status", event.status() + ", failed " + event.attempts() + " times");
    field(output, "waits for", waitsFor);
    field(output, "aggregate", join(event.aggregateType(), event.aggregateId()));
    field(output, "key", event.orderingKey());
    field(output, "partition key", event.partitionKey());
    field(output, "tenant", event.tenantId());
    field(output, "created", Words.time(event.createdAt()));
    field(
        output,
        event.status().isPending() ? "next attempt" : "available",
        Words.time(event.availableAt()));
    field(output, "finished", Words.time(event.doneAt()));
    if (event.lease() != null) {
      field(output, "leased by", event.lease().owner());
      field(output, "leased at", Words.time(event.lease().lockedAt()));
    }
    field(output, "content type", event.contentType());
    section(output, "Headers", event.headersJson() == null ? null : pretty(event.headersJson()));
    section(output, "Error", event.lastError());
    section(
        output,
        "Payload",
        event.payloadBytes() == null ? pretty(event.payloadJson()) : hex(event.payloadBytes()));
    if (!around.isEmpty()) {
      output.line("");
      output.line(Style.BOLD, "Events of the same key around it");
      output.table(EventTable.of(around));
    } else if (hasKey(event) && neighbors > 0) {
      output.note(
          "No other event of its key is nearby. To look further: outbox list "
              + (event.orderingKey() != null
                  ? "--key " + argument(event.orderingKey())
                  : "--aggregate-id " + argument(event.aggregateId())));
    }
  }

  /** An event without either has its own key. */
  private static boolean hasKey(OutboxEvent event) {
    return event.orderingKey() != null || event.aggregateId() != null;
  }

  /** As a shell takes it. */
  private static String argument(String value) {
    String text = Printable.line(value);
    return text.matches("[A-Za-z0-9._:/@%+=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private static String join(String type, String id) {
    boolean typed = type != null && !type.equals(AggregateType.GLOBAL.name());
    return !typed ? id : id == null ? type : type + ":" + id;
  }

  private static void field(Output output, String name, String value) {
    if (value != null && !value.isEmpty()) {
      output.line(output.styled(Style.DIM, "%-14s".formatted(name)) + Printable.line(value));
    }
  }

  private static void section(Output output, String title, String text) {
    if (text != null) {
      output.line("");
      output.line(Style.BOLD, title);
      output.line(Printable.block(text));
    }
  }

  private static String pretty(String json) {
    return JsonText.pretty(json);
  }

  private static String hex(byte[] bytes) {
    int shown = Math.min(bytes.length, BYTES_SHOWN);
    String digits =
        HexFormat.ofDelimiter(" ").formatHex(bytes, 0, shown).replaceAll("(.{48})", "$1\n");
    return Words.number(bytes.length)
        + " bytes"
        + (shown < bytes.length ? ", the first " + Words.number(shown) : "")
        + "\n"
        + digits;
  }
}
