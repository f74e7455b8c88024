package io.outbox.console.internal.api;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outbox.console.PayloadMask;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Response;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventSummary;
import io.outbox.operate.WaitReason;
import io.outbox.operate.WaitReasons;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** Events as JSON, with what the mask lets through of their payloads. */
final class EventJson {

  private static final Logger LOG = PrintableLogger.of(EventJson.class);

  /** More than this is for downloading. */
  static final int MAX_SHOWN = 256 * 1024;

  private static final Pattern JSON = Pattern.compile("(?i)^[^;]*[/+]json\\s*(;|$)");

  private final PayloadMask mask;

  EventJson(PayloadMask mask) {
    this.mask = mask;
  }

  static JsonObject of(EventSummary event) {
    return Json.object()
        .with("id", event.eventId())
        .with("type", event.eventType())
        .with("aggregateType", event.aggregateType())
        .with("aggregateId", event.aggregateId())
        .with("tenant", event.tenantId())
        .with("key", event.orderingKey())
        .with("status", event.status().name())
        .with("state", event.state().name())
        .with("attempts", event.attempts())
        .with("createdAt", event.createdAt())
        .with("availableAt", event.availableAt())
        .with("waitingSince", event.waitingSince())
        .with("doneAt", event.doneAt())
        .with("replayedAt", event.replayedAt())
        .with("error", event.lastError())
        .with("lockedBy", event.lockedBy())
        .with("lockedAt", event.lockedAt())
        .with("seq", event.seq())
        .build();
  }

  /** With what it waits for. */
  static JsonObject of(EventSummary event, WaitReasons reasons) {
    JsonObject json = of(event);
    json.add(
        "waitsFor", reasons.of(event).<JsonElement>map(EventJson::of).orElse(JsonNull.INSTANCE));
    return json;
  }

  private static JsonObject of(WaitReason reason) {
    return Json.object()
        .with("kind", reason.kind().name())
        .with("obstacle", reason.kind().isObstacle())
        .with("what", reason.what())
        .with("since", reason.since())
        .with("until", reason.until())
        .build();
  }

  JsonObject detail(OutboxEvent event, WaitReasons reasons) {
    return withDetail(event, of(EventSummary.of(event), reasons));
  }

  /** Of an event that waits for nothing. */
  JsonObject detail(OutboxEvent event) {
    return withDetail(event, of(EventSummary.of(event)));
  }

  private JsonObject withDetail(OutboxEvent event, JsonObject json) {
    json.addProperty("error", event.lastError());
    json.addProperty("partitionKey", event.partitionKey());
    json.addProperty("deliveryKey", event.key().name());
    json.addProperty("contentType", event.contentType());
    json.addProperty("claims", event.claims());
    json.addProperty("starts", event.starts());
    json.addProperty("leaseNumber", event.leaseNumber());
    PayloadMask.Content shown = shown(event);
    json.add("payload", payload(event, shown));
    json.addProperty("headers", shown.headersJson());
    json.addProperty("headersHidden", shown.headersJson() == null && event.headersJson() != null);
    return json;
  }

  /** The payload as a file: never shown by a browser, whatever it contains. */
  Response download(OutboxEvent event) {
    PayloadMask.Content shown = shown(event);
    byte[] body =
        shown.payloadJson() != null
            ? shown.payloadJson().getBytes(StandardCharsets.UTF_8)
            : shown.payloadBytes();
    if (body == null) {
      throw HttpFailure.notFound("There is no payload to be shown.");
    }
    return new Response.Whole(
        200,
        Map.of(
            "Content-Type", "application/octet-stream",
            "Content-Disposition", "attachment; filename=\"" + fileName(event, shown) + "\"",
            "Cache-Control", "no-store"),
        body);
  }

  /** Named after the event, by what is in it. */
  private static String fileName(OutboxEvent event, PayloadMask.Content shown) {
    String type = event.contentType();
    boolean json = shown.payloadJson() != null || (type != null && JSON.matcher(type).find());
    String id = event.eventId().replaceAll("[^A-Za-z0-9._-]", "_");
    return id.substring(0, Math.min(100, id.length())) + (json ? ".json" : ".bin");
  }

  /** What the mask lets through; nothing if it fails. */
  private PayloadMask.Content shown(OutboxEvent event) {
    try {
      return Objects.requireNonNull(mask.show(event), "the payload mask returned null");
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, () -> "the payload mask failed for event " + event.eventId(), e);
      return PayloadMask.Content.HIDDEN;
    }
  }

  private static JsonObject payload(OutboxEvent event, PayloadMask.Content shown) {
    if (shown.payloadJson() != null) {
      String text = shown.payloadJson();
      boolean cut = text.length() > MAX_SHOWN;
      return Json.object()
          .with("kind", "text")
          .with("text", cut ? text.substring(0, MAX_SHOWN) : text)
          .with("size", text.length())
          .with("cut", cut)
          .with("masked", !text.equals(event.payloadJson()))
          .build();
    }
    if (shown.payloadBytes() != null) {
      byte[] bytes = shown.payloadBytes();
      boolean cut = bytes.length > MAX_SHOWN;
      return Json.object()
          .with("kind", "bytes")
          .with("base64", Base64.getEncoder().encodeToString(cut ? head(bytes) : bytes))
          .with("size", bytes.length)
          .with("cut", cut)
          .with("masked", !Arrays.equals(bytes, event.payloadBytes()))
          .build();
    }
    boolean hidden = event.payloadJson() != null || event.payloadBytes() != null;
    return Json.object().with("kind", hidden ? "hidden" : "none").build();
  }

  private static byte[] head(byte[] bytes) {
    return Arrays.copyOf(bytes, MAX_SHOWN);
  }
}
