package io.outbox.cli.command;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventSummary;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.function.Function;

/** Events and what belongs to them, for scripts. Names and meaning are documented: keep them. */
public final class EventJson {

  private EventJson() {}

  public static JsonObject of(EventSummary event) {
    JsonObject json = new JsonObject();
    json.addProperty("id", event.eventId());
    json.addProperty("type", event.eventType());
    json.addProperty("aggregateType", event.aggregateType());
    json.addProperty("aggregateId", event.aggregateId());
    json.addProperty("tenant", event.tenantId());
    json.addProperty("key", event.orderingKey());
    json.addProperty("status", event.status().name());
    json.addProperty("state", event.state().name());
    json.addProperty("attempts", event.attempts());
    json.add("createdAt", time(event.createdAt()));
    json.add("availableAt", time(event.availableAt()));
    json.add("waitingSince", time(event.waitingSince()));
    json.add("doneAt", time(event.doneAt()));
    json.add("replayedAt", time(event.replayedAt()));
    json.addProperty("error", event.lastError());
    json.addProperty("leasedBy", event.lockedBy());
    json.add("leasedAt", time(event.lockedAt()));
    json.addProperty("leaseNumber", event.leaseNumber());
    json.addProperty("seq", event.seq());
    return json;
  }

  /** The whole event; bytes are written in Base64. */
  public static JsonObject whole(OutboxEvent event) {
    JsonObject json = of(EventSummary.of(event));
    json.addProperty("error", event.lastError());
    json.addProperty("partitionKey", event.partitionKey());
    json.addProperty("contentType", event.contentType());
    json.addProperty("headers", event.headersJson());
    json.addProperty("payload", event.payloadJson());
    json.addProperty(
        "payloadBase64",
        event.payloadBytes() == null
            ? null
            : Base64.getEncoder().encodeToString(event.payloadBytes()));
    return json;
  }

  public static JsonObject of(DeliveryPause pause) {
    JsonObject json = new JsonObject();
    json.addProperty("aggregateType", pause.aggregateType());
    json.addProperty("type", pause.eventType());
    json.addProperty("tenant", pause.tenantId());
    json.addProperty("destination", pause.destination());
    json.addProperty("by", pause.by());
    json.add("since", time(pause.since()));
    json.addProperty("reason", pause.reason());
    return json;
  }

  public static JsonObject of(Count count) {
    JsonObject json = new JsonObject();
    json.addProperty("value", count.value());
    json.addProperty("precision", count.precision().name());
    return json;
  }

  public static JsonElement time(Instant instant) {
    return instant == null ? JsonNull.INSTANCE : new JsonPrimitive(instant.toString());
  }

  static JsonArray strings(Collection<String> texts) {
    return array(texts, JsonPrimitive::new);
  }

  public static <T> JsonArray array(Collection<T> things, Function<T, JsonElement> toJson) {
    JsonArray array = new JsonArray();
    things.forEach(thing -> array.add(toJson.apply(thing)));
    return array;
  }
}
