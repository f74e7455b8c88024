package io.outbox.cli.command;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.operate.EventSummary;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.operate.WaitReason;
import io.outbox.operate.WaitReasons;
import java.util.List;

/** Why events wait, as people and scripts read it. */
public final class Waits {

  private Waits() {}

  public static TextTable table(List<ListenerOutage> outages) {
    TextTable shown =
        new TextTable(
            Column.text("LISTENER"),
            Column.fixed("BREAKER"),
            Column.fixed("SINCE"),
            Column.fixed("NEXT TRIAL"),
            Column.text("NODES"),
            Column.text("REASON"));
    outages.forEach(
        outage ->
            shown.row(
                outage.name(),
                outage.state(),
                Words.time(outage.since()),
                outage.nextTrial() == null ? "" : Words.time(outage.nextTrial()),
                String.join(", ", outage.nodes()),
                outage.reason()));
    return shown;
  }

  public static JsonObject json(ListenerOutage outage) {
    JsonObject json = new JsonObject();
    json.addProperty("listener", outage.listener());
    json.addProperty("destination", outage.destination());
    json.addProperty("state", outage.state());
    json.addProperty("reason", outage.reason());
    json.add("since", EventJson.time(outage.since()));
    json.add("nextTrial", EventJson.time(outage.nextTrial()));
    json.add("nodes", EventJson.strings(outage.nodes()));
    return json;
  }

  static TextTable withoutListener(List<RouteWithoutListener> routes) {
    TextTable shown =
        new TextTable(Column.text("EVENTS"), Column.fixed("SINCE"), Column.text("NEAR MISS"));
    routes.forEach(
        missing -> shown.row(missing.route(), Words.time(missing.since()), missing.nearMiss()));
    return shown;
  }

  public static JsonObject json(RouteWithoutListener missing) {
    JsonObject json = new JsonObject();
    json.addProperty("aggregateType", missing.route().aggregateType());
    json.addProperty("eventType", missing.route().eventType());
    json.add("since", EventJson.time(missing.since()));
    json.addProperty("nearMiss", missing.nearMiss());
    return json;
  }

  /** The event, and what it waits for. */
  public static JsonObject json(EventSummary event, WaitReasons reasons) {
    JsonObject json = EventJson.of(event);
    json.add("waitsFor", json(reasons.of(event).orElse(null)));
    return json;
  }

  public static JsonElement json(WaitReason reason) {
    if (reason == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("kind", reason.kind().name());
    json.addProperty("what", reason.what());
    json.add("since", EventJson.time(reason.since()));
    json.add("until", EventJson.time(reason.until()));
    return json;
  }

  /** In one line, with its times; null if it does not wait. */
  public static String text(EventSummary event, WaitReasons reasons) {
    return reasons.of(event).map(reason -> reason.text(Words::time)).orElse(null);
  }

  /** Only what the next attempt does not tell already; empty if there is nothing of the kind. */
  public static String obstacle(EventSummary event, WaitReasons reasons) {
    return reasons
        .of(event)
        .filter(reason -> reason.kind().isObstacle())
        .map(WaitReason::what)
        .orElse("");
  }
}
