package io.outbox.internal.subscribe;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.internal.TextChecks;
import io.outbox.internal.json.JsonTree;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * What a copy of an event for a subscription is called. Its id follows from the event's and the
 * subscription's name, so that it cannot be written twice. Its aggregate type and its ordering key
 * carry the subscription: whatever works by type or by key works for each subscription alone.
 */
public final class Copies {

  /** Between the event's aggregate type and the subscription's name. */
  private static final String MARK = "@@";

  private static final int MAX_TYPE = 64;
  private static final int MAX_KEY = 255;

  /** The length of a generated id; of a longer one a hash stands in the id of the copy. */
  private static final int MAX_ID = 26;

  private static final int CODE = 9;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
  private static final Pattern TYPE = Pattern.compile("(.*)@@([A-Za-z0-9][A-Za-z0-9._-]*)");
  private static final Pattern ID = Pattern.compile(".{1,26}~[0-9A-Z]{9}");

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
    return aggregateType != null
        && aggregateType.contains(MARK)
        && TYPE.matcher(aggregateType).matches();
  }

  /** The name of the subscription that an event is a copy for; null if it is none. */
  public static String subscriptionOf(EventEnvelope event) {
    return subscriptionOf(event.aggregateType(), event.eventId());
  }

  private static String subscriptionOf(String type, String eventId) {
    if (!isType(type) || !ID.matcher(eventId).matches()) {
      return null;
    }
    String name = type.substring(type.lastIndexOf(MARK) + MARK.length());
    return eventId.endsWith(Hash.of(name, CODE)) ? name : null;
  }

  /** The id of the copy of an event for a subscription. */
  public static String idOf(String eventId, String subscription) {
    String id = eventId.length() > MAX_ID ? Hash.of(eventId, MAX_ID) : eventId;
    return id + "~" + Hash.of(subscription, CODE);
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
    Map<String, String> headers = new LinkedHashMap<>(copy.headers());
    String id = headers.remove(ID_HEADER);
    String key = headers.remove(KEY_HEADER);
    String type = copy.aggregateType();
    String inFront = type.substring(0, type.lastIndexOf(MARK));
    EventEnvelope event =
        copy.withAddress(
            id == null ? copy.eventId().substring(0, copy.eventId().lastIndexOf('~')) : id,
            inFront.isEmpty() ? AggregateType.GLOBAL.name() : inFront,
            key == null ? withoutMark(copy.orderingKey()) : key);
    return headers.size() == copy.headers().size() ? event : event.withHeaders(headers);
  }

  private static String withoutMark(String key) {
    int mark = key == null ? -1 : key.lastIndexOf(MARK);
    return mark < 0 ? key : key.substring(0, mark);
  }
}
