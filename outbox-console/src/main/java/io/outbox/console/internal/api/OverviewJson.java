package io.outbox.console.internal.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.ErrorGroup;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.Overview;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.spi.Member;
import io.outbox.spi.lanes.KeyBlock;
import java.util.List;
import java.util.Map;

/** What is in the table, what is wrong, and what was done, as JSON. */
final class OverviewJson {

  private OverviewJson() {}

  static JsonObject of(Overview overview) {
    return Json.object()
        .with("at", overview.at())
        .with("counts", counts(overview.counts()))
        .with("states", counts(overview.states()))
        .with("oldestPending", overview.oldestPending())
        .with("lagMillis", overview.lag().toMillis())
        .with("throughput", throughput(overview.throughput()))
        .with("stuckLeases", of(overview.stuckLeases()))
        .with("blockedKeys", of(overview.blockedKeys()))
        .with("errors", Json.array(overview.errors(), OverviewJson::of))
        .with("errorsAmong", overview.errorsAmong())
        .with("outages", Json.array(overview.outages(), OverviewJson::of))
        .with("moreOutages", overview.moreOutages())
        .with("withoutListener", Json.array(overview.withoutListener(), OverviewJson::of))
        .with("pauses", Json.array(overview.pauses(), OverviewJson::of))
        .with("nodes", nodes(overview))
        .build();
  }

  private static JsonObject counts(Map<? extends Enum<?>, Count> counts) {
    Json json = Json.object();
    counts.forEach((name, count) -> json.with(name.name(), of(count)));
    return json.build();
  }

  static JsonObject of(Count count) {
    return Json.object()
        .with("value", count.value())
        .with("precision", count.precision().name())
        .build();
  }

  private static JsonArray nodes(Overview overview) {
    List<Member> doubles = overview.secondProcesses();
    return Json.array(
        overview.members(),
        member ->
            Json.object()
                .with("node", member.node())
                .with("mode", member.mode())
                .with("delivers", member.delivers())
                .with("second", doubles.contains(member))
                .with("startedAt", member.startedAt())
                .with("beatAt", member.beatAt())
                .build());
  }

  private static JsonElement throughput(Overview.Throughput throughput) {
    return throughput == null
        ? JsonNull.INSTANCE
        : Json.object()
            .with("perMinute", throughput.perMinute())
            .with("events", throughput.events())
            .with("overMillis", throughput.over().toMillis())
            .build();
  }

  private static JsonObject of(ErrorGroup group) {
    return Json.object()
        .with("error", group.error())
        .with("count", group.count())
        .with("example", group.example())
        .with("pattern", group.pattern())
        .build();
  }

  static JsonObject of(DeliveryPause pause) {
    return Json.object()
        .with("aggregateType", pause.aggregateType())
        .with("eventType", pause.eventType())
        .with("tenant", pause.tenantId())
        .with("destination", pause.destination())
        .with("by", pause.by())
        .with("since", pause.since())
        .with("reason", pause.reason())
        .build();
  }

  private static JsonObject of(ListenerOutage outage) {
    return Json.object()
        .with("name", outage.name())
        .with("listener", outage.listener())
        .with("destination", outage.destination())
        .with("state", outage.state())
        .with("reason", outage.reason())
        .with("since", outage.since())
        .with("nextTrial", outage.nextTrial())
        .with("nodes", Json.array(outage.nodes(), JsonPrimitive::new))
        .build();
  }

  private static JsonObject of(RouteWithoutListener missing) {
    return Json.object()
        .with("name", missing.route().toString())
        .with("aggregateType", missing.route().aggregateType())
        .with("eventType", missing.route().eventType())
        .with("since", missing.since())
        .with("nearMiss", missing.nearMiss())
        .build();
  }

  static JsonObject of(KeyBlock block) {
    return Json.object()
        .with("key", block.key().name())
        .with("lane", block.key().lane())
        .with("event", block.eventId())
        .with("since", block.since())
        .with("reason", block.reason())
        .build();
  }

  static JsonObject of(AuditEntry entry) {
    return Json.object()
        .with("id", entry.id())
        .with("who", entry.who())
        .with("what", entry.what())
        .with("at", entry.at())
        .with("filter", entry.filter())
        .with("detail", entry.detail())
        .with("count", entry.count())
        .with("finishedAt", entry.finishedAt())
        .build();
  }
}
