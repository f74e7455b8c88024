package io.outbox.internal.subscribe;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.internal.ReservedType;
import io.outbox.internal.TextChecks;
import io.outbox.internal.json.JsonTree;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * What a copy of an event for a subscription is called. Its id follows from the event's and the
 * subscription's name, so that it cannot be written twice. Its aggregate type and its ordering key
 * carry the subscription: whatever works by type or by key works for each subscription alone.
 */
public final class Copies {

  private static final String MARK = ReservedType.MARK;

  private static final int MAX_TYPE = 64;
  private static final int MAX_KEY = 255;

  /** The length of a generated id; of a longer one a hash stands in the id of the copy. */
  private static final int MAX_ID = 26;

  private static final int CODE = 9;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /** Rows of plain SQL may have any types: the codes of so many names are remembered. */
  private static final int MAX_CODES = 1_000;

  private static final Map<String, String> CODES = new ConcurrentHashMap<>();

  /** Of what could not be told from the row otherwise. */
  static final String ID_HEADER = "outbox-copy-of-id";

  static final String KEY_HEADER = "outbox-copy-of-key";

  private Copies() {}

  /**
   * Checks a subscription's name.
   *
   * @throws IllegalArgumentException if it cannot be one, or is too long for this route
   */
  public static void requireName(EventRoute route, String name) {
    Objects.requireNonNull(route.aggregateType(), "aggregateType");
    Objects.requireNonNull(route.eventType(), "eventType");
    Objects.requireNonNull(name, "subscription");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is not a name of a subscription: use letters, digits, '.', '_' and '-', and begin"
              + " with a letter or digit");
    }
    String type = typeOf(route.aggregateType(), name);
    if (type.length() > MAX_TYPE) {
      throw new IllegalArgumentException(
          "the subscription '"
              + name
              + "' is too long: with its aggregate type it is stored as "
              + type
              + ", which may have "
              + MAX_TYPE
              + " characters");
    }
    TextChecks.column("eventType", route.eventType(), 128);
  }

  /** The aggregate type of copies. */
  public static String typeOf(String aggregateType, String subscription) {
    boolean global = aggregateType.equals(AggregateType.GLOBAL.name());
    return (global ? "" : aggregateType) + MARK + subscription;
  }

  /** Whether it is the aggregate type of copies. */
  public static boolean isType(String aggregateType) {
    return nameIn(aggregateType) != null;
  }

  /** The name of the subscription that an event is a copy for; null if it is none. */
  public static String subscriptionOf(EventEnvelope event) {
    return subscriptionOf(event.aggregateType(), event.eventId());
  }

  private static String subscriptionOf(String type, String eventId) {
    String name = nameIn(type);
    return name != null && isIdOf(eventId, name) ? name : null;
  }

  /** The name that an aggregate type of copies ends in; null if it is none. Called per event. */
  private static String nameIn(String type) {
    int mark = type == null ? -1 : type.lastIndexOf(MARK);
    if (mark < 0) {
      return null;
    }
    String name = type.substring(mark + MARK.length());
    return CODES.containsKey(name) || NAME.matcher(name).matches() ? name : null;
  }

  private static boolean isIdOf(String eventId, String name) {
    int id = eventId.length() - CODE - 1;
    return id >= 1 && id <= MAX_ID && eventId.charAt(id) == '~' && eventId.endsWith(codeOf(name));
  }

  /** A subscription in the id of a copy. */
  private static String codeOf(String name) {
    String code = CODES.get(name);
    if (code == null) {
      code = Hash.of(name, CODE);
      if (CODES.size() < MAX_CODES && NAME.matcher(name).matches()) {
        CODES.put(name, code);
      }
    }
    return code;
  }

  /** The id of the copy of an event for a subscription. */
  public static String idOf(String eventId, String subscription) {
    String id = eventId.length() > MAX_ID ? Hash.of(eventId, MAX_ID) : eventId;
    return id + "~" + codeOf(subscription);
  }

  /** The id of the event that a row is a copy of; null if it is none, or that cannot be told. */
  public static String originalIdOf(OutboxEvent row) {
    if (subscriptionOf(row.aggregateType(), row.eventId()) == null) {
      return null;
    }
    String headers = row.headersJson();
    if (headers == null || !headers.contains(ID_HEADER)) {
      return row.eventId().substring(0, row.eventId().lastIndexOf('~'));
    }
    try {
      return JsonTree.read(headers) instanceof Map<?, ?> map
              && map.get(ID_HEADER) instanceof String id
          ? id
          : null;
    } catch (IllegalArgumentException e) {
      return null; // headers that nobody can read name no event
    }
  }

  /** The copy of an event for a subscription. */
  static EventEnvelope of(EventEnvelope event, String subscription) {
    Map<String, String> more = new LinkedHashMap<>();
    if (event.eventId().length() > MAX_ID) {
      more.put(ID_HEADER, event.eventId());
    }
    String key = event.orderingKey();
    if (key != null && key.length() + MARK.length() + subscription.length() > MAX_KEY) {
      more.put(KEY_HEADER, key);
      key = Hash.of(key, MAX_ID);
    }
    EventEnvelope copy =
        event.withAddress(
            idOf(event.eventId(), subscription),
            typeOf(event.aggregateType(), subscription),
            key == null ? null : key + MARK + subscription);
    if (more.isEmpty()) {
      return copy;
    }
    Map<String, String> headers = new LinkedHashMap<>(event.headers());
    headers.putAll(more);
    return copy.withHeaders(headers);
  }

  /** The event that another one is a copy of; itself if it is none. */
  public static EventEnvelope originalOf(EventEnvelope copy) {
    if (subscriptionOf(copy) == null) {
      return copy;
    }
    String id = copy.headers().get(ID_HEADER);
    String key = copy.headers().get(KEY_HEADER);
    String type = copy.aggregateType();
    String inFront = type.substring(0, type.lastIndexOf(MARK));
    EventEnvelope event =
        copy.withAddress(
            id == null ? copy.eventId().substring(0, copy.eventId().lastIndexOf('~')) : id,
            inFront.isEmpty() ? AggregateType.GLOBAL.name() : inFront,
            key == null ? withoutMark(copy.orderingKey()) : key);
    return id == null && key == null ? event : event.withHeaders(ofListeners(copy.headers()));
  }

  private static Map<String, String> ofListeners(Map<String, String> headers) {
    Map<String, String> seen = new LinkedHashMap<>(headers);
    seen.keySet().removeAll(Set.of(ID_HEADER, KEY_HEADER));
    return seen;
  }

  private static String withoutMark(String key) {
    int mark = key == null ? -1 : key.lastIndexOf(MARK);
    return mark < 0 ? key : key.substring(0, mark);
  }
}
