package io.outbox.relay.rule;

import io.outbox.EventEnvelope;
import io.outbox.relay.yaml.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an event must be like for a rule to take it. All that are named must hold.
 *
 * @param aggregateType null for any, as are the others
 * @param headers by name
 */
record Conditions(
    NamePattern table,
    NamePattern aggregateType,
    NamePattern eventType,
    NamePattern tenant,
    Map<String, NamePattern> headers) {

  static final Conditions NONE = new Conditions(null, null, null, null, Map.of());

  static Conditions read(Section section) {
    Map<String, NamePattern> headers = new LinkedHashMap<>();
    section
        .section("header")
        .ifPresent(
            found ->
                found
                    .names()
                    .forEach(
                        name -> {
                          NamePattern pattern = pattern(found, name);
                          if (pattern != null) {
                            headers.put(name, pattern);
                          }
                        }));
    Conditions conditions =
        new Conditions(
            pattern(section, "table"),
            pattern(section, "aggregate-type"),
            pattern(section, "event-type"),
            pattern(section, "tenant"),
            headers);
    section.done();
    return conditions;
  }

  private static NamePattern pattern(Section section, String key) {
    List<String> texts = section.texts(key);
    if (texts.isEmpty() && section.isWritten(key)) {
      section.problem(key, "must be a text or a list of texts; '*' stands for anything");
    }
    return texts.isEmpty() ? null : new NamePattern(texts);
  }

  boolean holdForTable(String name) {
    return table == null || table.fits(name);
  }

  boolean holdForTypes(String ofAggregate, String ofEvent) {
    return (aggregateType == null || aggregateType.fits(ofAggregate))
        && (eventType == null || eventType.fits(ofEvent));
  }

  /** Whether the types of an event are all that matters. */
  boolean areOfTypesOnly() {
    return tenant == null && headers.isEmpty();
  }

  boolean holdFor(EventEnvelope event) {
    return holdForTypes(event.aggregateType(), event.eventType())
        && (tenant == null || tenant.fits(event.tenantId()))
        && headers.entrySet().stream()
            .allMatch(header -> header.getValue().fits(event.headers().get(header.getKey())));
  }

  /** As one line; empty if there are none. */
  @Override
  public String toString() {
    Map<String, NamePattern> all = new LinkedHashMap<>();
    all.put("table", table);
    all.put("aggregate-type", aggregateType);
    all.put("event-type", eventType);
    all.put("tenant", tenant);
    new TreeMap<>(headers).forEach((name, pattern) -> all.put("header " + name, pattern));
    all.values().removeIf(java.util.Objects::isNull);
    return String.join(
        ", ",
        all.entrySet().stream()
            .map(entry -> entry.getKey() + " " + String.join("|", entry.getValue().texts()))
            .toList());
  }
}
