package io.outbox.internal.json;

import io.outbox.internal.TextChecks;
import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.BusyListener;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * What a node says about itself, as JSON. Written in ASCII, so that every database can store it
 * whatever its character set, and its length in characters is that in bytes.
 */
public final class MemberDetailJson {

  /** Below the 65,535 bytes of the smallest column. */
  static final int MAX_LENGTH = 60_000;

  /** Of that, what missing listeners may need: other nodes act on them. */
  private static final int MAX_MISSING_LENGTH = 44_000;

  static final int MAX_OUTAGES = 50;
  static final int MAX_BUSY = 20;
  static final int MAX_ROUTES = 20;
  static final int MAX_MISSING = 200;
  private static final int MAX_NAME = 200;

  /** Later versions may say more, but no column holds more than they need. */
  private static final int MAX_READ = 1_000_000;

  private MemberDetailJson() {}

  // ---- write

  /** Null if there is nothing to say. */
  public static String write(MemberDetail detail) {
    if (detail.equals(MemberDetail.NONE)) {
      return null;
    }
    StringBuilder json = new StringBuilder("{\"missing\":[");
    List<MissingListener> missing = detail.missingListeners();
    appendAll(json, missing, MAX_MISSING, MAX_MISSING_LENGTH, MemberDetailJson::missing);
    json.append("],\"outages\":[");
    List<Outage> outages = detail.outages();
    int written = appendAll(json, outages, MAX_OUTAGES, MAX_LENGTH - 100, MemberDetailJson::outage);
    int more = outages.size() - written + detail.moreOutages();
    json.append("],\"more\":").append(more).append(",\"busy\":[");
    appendAll(json, detail.busy(), MAX_BUSY, MAX_LENGTH - 2, MemberDetailJson::busy);
    return json.append("]}").toString();
  }

  /** Only whole entries, as long as there is room; returns how many. */
  private static <T> int appendAll(
      StringBuilder json, List<T> entries, int max, int maxLength, Function<T, String> writer) {
    int written = 0;
    for (T entry : entries.subList(0, Math.min(entries.size(), max))) {
      String text = writer.apply(entry);
      if (json.length() + text.length() < maxLength) {
        json.append(written == 0 ? "" : ",").append(text);
        written++;
      }
    }
    return written;
  }

  private static String outage(Outage outage) {
    StringBuilder json = new StringBuilder("{");
    member(json, "listener", cut(outage.listener(), MAX_NAME));
    member(json, "destination", cut(outage.destination(), MAX_NAME));
    member(json, "state", outage.state());
    member(json, "reason", cut(outage.reason(), MemberDetail.REASON_LENGTH));
    member(json, "since", outage.since());
    member(json, "nextTrial", outage.nextTrial());
    return routes(json, outage.routes());
  }

  private static String busy(BusyListener busy) {
    StringBuilder json = new StringBuilder("{");
    member(json, "waitsFor", cut(busy.waitsFor(), MemberDetail.REASON_LENGTH));
    member(json, "since", busy.since());
    return routes(json, busy.routes());
  }

  /** The end of an entry. */
  private static String routes(StringBuilder json, List<EventRoute> routes) {
    json.append(",\"routes\":[");
    String comma = "";
    for (EventRoute route : routes.subList(0, Math.min(routes.size(), MAX_ROUTES))) {
      json.append(comma).append(route(route)).append('}');
      comma = ",";
    }
    return json.append("]}").toString();
  }

  private static String missing(MissingListener missing) {
    StringBuilder json = route(missing.route());
    member(json, "since", missing.since());
    member(json, "seen", missing.seen() ? null : "no");
    member(json, "nearMiss", cut(missing.nearMiss(), MAX_NAME));
    return json.append('}').toString();
  }

  /** Never cut: it would be another route. */
  private static StringBuilder route(EventRoute route) {
    StringBuilder json = new StringBuilder("{");
    member(json, "aggregateType", route.aggregateType());
    member(json, "eventType", route.eventType());
    return json;
  }

  private static void member(StringBuilder json, String name, Object value) {
    if (value == null) {
      return;
    }
    json.append(json.length() == 1 ? "\"" : ",\"").append(name).append("\":\"");
    value.toString().chars().forEach(c -> append(json, (char) c));
    json.append('"');
  }

  private static void append(StringBuilder json, char c) {
    if (c == '"' || c == '\\') {
      json.append('\\').append(c);
    } else if (c < ' ' || c > '~') {
      json.append("\\u%04x".formatted((int) c));
    } else {
      json.append(c);
    }
  }

  private static String cut(String text, int max) {
    return TextChecks.cleanError(text, max);
  }

  // ---- read

  /** Leaves out what it does not understand; nothing for null. */
  public static MemberDetail read(String text) {
    if (text == null || text.isBlank() || text.length() > MAX_READ) {
      return MemberDetail.NONE;
    }
    try {
      return JsonTree.read(text) instanceof Map<?, ?> detail
          ? new MemberDetail(
              list(detail.get("outages"), MemberDetailJson::readOutage),
              list(detail.get("missing"), MemberDetailJson::readMissing),
              detail.get("more") instanceof Number more ? Math.max(0, more.intValue()) : 0,
              list(detail.get("busy"), MemberDetailJson::readBusy))
          : MemberDetail.NONE;
    } catch (IllegalArgumentException e) {
      return MemberDetail.NONE;
    }
  }

  private static <T> List<T> list(Object value, Function<Map<?, ?>, T> reader) {
    List<T> entries = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object entry : list) {
        if (entry instanceof Map<?, ?> object) {
          entries.add(reader.apply(object));
        }
      }
    }
    return entries.stream().filter(Objects::nonNull).toList();
  }

  private static Outage readOutage(Map<?, ?> json) {
    String listener = text(json, "listener");
    Instant since = time(json, "since");
    if (listener == null || since == null) {
      return null;
    }
    String state = text(json, "state");
    String reason = text(json, "reason");
    return new Outage(
        listener,
        text(json, "destination"),
        state == null ? Outage.OPEN : state,
        reason == null ? "" : reason,
        since,
        time(json, "nextTrial"),
        list(json.get("routes"), MemberDetailJson::readRoute));
  }

  private static BusyListener readBusy(Map<?, ?> json) {
    String waitsFor = text(json, "waitsFor");
    Instant since = time(json, "since");
    return waitsFor == null || since == null
        ? null
        : new BusyListener(waitsFor, since, list(json.get("routes"), MemberDetailJson::readRoute));
  }

  private static MissingListener readMissing(Map<?, ?> json) {
    EventRoute route = readRoute(json);
    Instant since = time(json, "since");
    return route == null || since == null
        ? null
        : new MissingListener(route, since, text(json, "seen") == null, text(json, "nearMiss"));
  }

  /** Without any type it would be the route of all events. */
  private static EventRoute readRoute(Map<?, ?> json) {
    String eventType = text(json, "eventType");
    return eventType == null ? null : new EventRoute(text(json, "aggregateType"), eventType);
  }

  private static String text(Map<?, ?> json, String name) {
    return json.get(name) instanceof String text ? text : null;
  }

  private static Instant time(Map<?, ?> json, String name) {
    String text = text(json, name);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException e) {
      return null;
    }
  }
}
