package io.outbox.cli.command;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.cli.output.Output;
import io.outbox.cli.output.Style;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.model.EventRoute;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import io.outbox.operate.Overview.Throughput;
import io.outbox.util.Printable;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** An overview as text or JSON. */
public final class StatusView {

  private final String table;
  private final String url;
  private final Output output;

  public StatusView(OutboxSession session, Output output) {
    this.table = session.table();
    this.url = session.url().toString();
    this.output = output;
  }

  public void show(Overview overview) {
    if (output.isJson()) {
      output.json(json(overview));
      return;
    }
    output.line(
        output.styled(Style.BOLD, table)
            + "  "
            + Printable.line(url)
            + "  "
            + Words.time(overview.at()));
    output.line("");
    states(overview);
    output.line("");
    facts(overview);
    outages(overview);
    withoutListener(overview);
    pauses(overview);
    nodes(overview);
    errors(overview);
  }

  private void states(Overview overview) {
    for (LifecycleState state : LifecycleState.values()) {
      Count count = overview.states().get(state);
      output.line(
          "%-10s".formatted(state)
              + output.styled(style(state, count), count == null ? "?" : Words.count(count))
              + output.styled(Style.DIM, byStatus(overview, state)));
    }
  }

  private static Style style(LifecycleState state, Count count) {
    return state == LifecycleState.DEAD && count != null && count.value() > 0
        ? Style.RED
        : Style.PLAIN;
  }

  private static String byStatus(Overview overview, LifecycleState state) {
    if (state != LifecycleState.PENDING) {
      return "";
    }
    return overview.counts().entrySet().stream()
        .filter(entry -> entry.getKey().isPending())
        .map(entry -> entry.getKey() + " " + Words.count(entry.getValue()))
        .collect(Collectors.joining(", ", "  (with LEASED: ", ")"));
  }

  private void facts(Overview overview) {
    fact("lag", lag(overview), Style.PLAIN);
    fact("throughput", throughput(overview.throughput()), Style.PLAIN);
    warning("stuck leases", overview.stuckLeases(), "see: outbox list --stuck");
    warning("blocked keys", overview.blockedKeys(), "see: outbox blocked");
  }

  private static String lag(Overview overview) {
    Instant oldest = overview.oldestPending();
    if (oldest == null) {
      return "none  (nothing waits)";
    }
    return oldest.isAfter(overview.at())
        ? "none  (nothing is due; the next event is due " + Words.time(oldest) + ")"
        : Words.duration(overview.lag())
            + "  (the oldest undelivered event was first due "
            + Words.time(oldest)
            + ")";
  }

  private static String throughput(Throughput throughput) {
    if (throughput == null) {
      return "unknown: no event was delivered yet";
    }
    return String.format(Locale.ROOT, "%,.1f per minute", throughput.perMinute())
        + "  ("
        + Words.events(throughput.events())
        + " in "
        + Words.duration(throughput.over())
        + ")";
  }

  private void warning(String name, Count count, String advice) {
    boolean some = count.value() > 0;
    fact(name, Words.count(count) + (some ? "  " + advice : ""), some ? Style.YELLOW : Style.PLAIN);
  }

  private void fact(String name, String value, Style style) {
    output.line("%-14s".formatted(name) + output.styled(style, value));
  }

  private void outages(Overview overview) {
    if (overview.outages().isEmpty()) {
      return;
    }
    output.line("");
    output.line(Style.YELLOW, "Listeners that are down; their events wait");
    output.table(Waits.table(overview.outages()));
    if (overview.moreOutages() > 0) {
      output.note("And " + overview.moreOutages() + " more on a node, at least.");
    }
  }

  private void withoutListener(Overview overview) {
    if (overview.withoutListener().isEmpty()) {
      return;
    }
    output.line("");
    output.line(Style.YELLOW, "No listener on any node; their events wait, then become DEAD");
    output.table(Waits.withoutListener(overview.withoutListener()));
  }

  private void pauses(Overview overview) {
    if (overview.pauses().isEmpty()) {
      return;
    }
    output.line("");
    output.line(Style.YELLOW, "Delivery is paused");
    output.table(pauseTable(overview.pauses()));
  }

  public static TextTable pauseTable(Iterable<DeliveryPause> pauses) {
    TextTable shown =
        new TextTable(
            Column.text("PAUSED"), Column.fixed("SINCE"), Column.text("BY"), Column.text("REASON"));
    pauses.forEach(
        pause -> shown.row(what(pause), Words.time(pause.since()), pause.by(), pause.reason()));
    return shown;
  }

  private static String what(DeliveryPause pause) {
    if (pause.tenantId() != null) {
      return "tenant " + pause.tenantId();
    } else if (pause.destination() != null) {
      return "destination " + pause.destination();
    }
    return new EventRoute(pause.aggregateType(), pause.eventType()).toString();
  }

  private void nodes(Overview overview) {
    if (overview.members().isEmpty()) {
      if (!overview.lag().isZero()) {
        output.line("");
        output.line(Style.YELLOW, "Nodes: no known node delivers");
      }
      return;
    }
    boolean well = overview.secondProcesses().isEmpty() && overview.waitingNodes().isEmpty();
    output.line("");
    output.line(well ? Style.BOLD : Style.YELLOW, "Nodes");
    output.table(Nodes.table(overview));
  }

  private void errors(Overview overview) {
    if (overview.errors().isEmpty()) {
      return;
    }
    output.line("");
    output.line(
        Style.BOLD,
        "Most frequent errors among the newest "
            + Words.events(overview.errorsAmong())
            + " that failed");
    TextTable shown =
        new TextTable(Column.number("EVENTS"), Column.fixed("NEWEST"), Column.fixed("PATTERN"));
    overview.errors().forEach(group -> shown.row(group.count(), group.example(), group.pattern()));
    output.table(shown);
    output.note("To see all of one: outbox list --error-pattern 'PATTERN'");
  }

  public JsonObject json(Overview overview) {
    JsonObject json = new JsonObject();
    json.addProperty("table", table);
    json.add("at", EventJson.time(overview.at()));
    json.add("states", counts(overview.states()));
    json.add("counts", counts(overview.counts()));
    json.add("oldestPending", EventJson.time(overview.oldestPending()));
    json.addProperty("lagSeconds", overview.lag().toMillis() / 1000.0);
    json.add("throughput", throughputJson(overview.throughput()));
    json.add("stuckLeases", EventJson.of(overview.stuckLeases()));
    json.add("blockedKeys", EventJson.of(overview.blockedKeys()));
    json.add("outages", EventJson.array(overview.outages(), Waits::json));
    json.addProperty("moreOutages", overview.moreOutages());
    json.add("withoutListener", EventJson.array(overview.withoutListener(), Waits::json));
    json.add("pauses", EventJson.array(overview.pauses(), EventJson::of));
    json.add("nodes", Nodes.json(overview));
    json.addProperty("errorsAmong", overview.errorsAmong());
    json.add(
        "errors",
        EventJson.array(
            overview.errors(),
            group -> {
              JsonObject error = new JsonObject();
              error.addProperty("count", group.count());
              error.addProperty("newest", group.example());
              error.addProperty("error", group.error());
              error.addProperty("pattern", group.pattern());
              return error;
            }));
    return json;
  }

  private static JsonObject counts(Map<? extends Enum<?>, Count> counts) {
    JsonObject json = new JsonObject();
    counts.forEach((name, count) -> json.add(name.name(), EventJson.of(count)));
    return json;
  }

  private static JsonElement throughputJson(Throughput throughput) {
    if (throughput == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("perMinute", throughput.perMinute());
    json.addProperty("events", throughput.events());
    json.addProperty("overSeconds", throughput.over().toMillis() / 1000.0);
    return json;
  }
}
