package io.outbox.cli.move.mapping;

import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a mapping. Mistakes are added to the problems of its file. */
final class MappingReader {

  private static final String ALL = "all";

  private final Section root;

  MappingReader(Section root) {
    this.root = root;
  }

  /** Empty if something essential is missing, which is among the problems then. */
  Optional<Mapping> read() {
    Mapping.Origin origin = origin();
    Map<RowKind, Condition> rows = rows();
    List<Condition> where = new ArrayList<>();
    root.items("where").forEach(section -> condition(section).ifPresent(where::add));
    Map<String, String> taken = taken();
    Map<EventField, Field> fields = fields();
    Map<String, Field> headers = headers();
    root.done();
    return origin == null || !root.problems().isEmpty()
        ? Optional.empty()
        : Optional.of(new Mapping(origin, rows, where, taken, fields, headers));
  }

  private Mapping.Origin origin() {
    String table = root.required("table", "the table that has the rows");
    String key = root.required("key", "the column of the primary key");
    String orderBy = root.text("order-by");
    String namespace = root.text("id-namespace");
    ZoneId zone = zone();
    if (table == null || key == null) {
      return null;
    }
    try {
      return new Mapping.Origin(table, key, orderBy, namespace, zone);
    } catch (IllegalArgumentException e) {
      root.problem("table", e.getMessage());
      return null;
    }
  }

  private ZoneId zone() {
    String name = root.text("time-zone");
    try {
      return name == null ? ZoneOffset.UTC : ZoneId.of(name);
    } catch (DateTimeException e) {
      root.problem("time-zone", "must be a zone such as UTC or Europe/Berlin");
      return ZoneOffset.UTC;
    }
  }

  private Map<RowKind, Condition> rows() {
    Map<RowKind, Condition> rows = new EnumMap<>(RowKind.class);
    Section section = root.sectionOrEmpty("rows");
    for (RowKind kind : RowKind.values()) {
      condition(section, kind.toString()).ifPresent(found -> rows.put(kind, found));
    }
    if (rows.isEmpty()) {
      root.problem("rows", "'rows' is missing: which rows are pending, such as 'pending: all'");
    }
    section.done();
    return rows;
  }

  private static Optional<Condition> condition(Section section, String key) {
    if (section.isSection(key)) {
      return section.section(key).flatMap(MappingReader::condition);
    }
    String text = section.text(key);
    if (text != null && !text.equals(ALL)) {
      section.problem(key, "must be 'all', or a condition such as {column: status, in: [NEW]}");
    }
    return text == null ? Optional.empty() : Optional.of(Condition.ALL);
  }

  private static Optional<Condition> condition(Section section) {
    String column = section.required("column", "the column that the condition looks at");
    List<Condition> found = new ArrayList<>();
    if (section.has("empty")) {
      boolean empty = Values.of(section).flag("empty", true);
      Condition.Test test = empty ? Condition.Test.EMPTY : Condition.Test.NOT_EMPTY;
      found.add(new Condition(column, test, List.of()));
    }
    values(section, "in").ifPresent(in -> found.add(with(column, Condition.Test.IN, in)));
    values(section, "not-in").ifPresent(not -> found.add(with(column, Condition.Test.NOT_IN, not)));
    values(section, "after")
        .ifPresent(after -> found.add(with(column, Condition.Test.AFTER, after.subList(0, 1))));
    section.done();
    if (found.size() != 1) {
      section.problem(
          "column", "needs one of empty: true or false, in: […], not-in: […], after: …");
      return Optional.empty();
    }
    return column == null ? Optional.empty() : Optional.of(found.get(0));
  }

  private static Condition with(String column, Condition.Test test, List<String> values) {
    return new Condition(column, test, values);
  }

  private static Optional<List<String>> values(Section section, String key) {
    List<String> values = section.has(key) ? section.texts(key) : List.of();
    return values.isEmpty() ? Optional.empty() : Optional.of(values);
  }

  private Map<String, String> taken() {
    if (root.isSection("take")) {
      Section take = root.sectionOrEmpty("take");
      Map<String, String> values = take.properties("set");
      if (values.isEmpty()) {
        take.problem("set", "'set' is missing: the values of a row that was taken, by column");
      }
      take.done();
      return values;
    }
    String text = root.text("take");
    if (text != null && !text.equals("delete")) {
      root.problem("take", "must be 'delete', or {set: {status: DONE}}");
    }
    return Map.of();
  }

  private Map<EventField, Field> fields() {
    Map<EventField, Field> fields = new EnumMap<>(EventField.class);
    Section section = root.sectionOrEmpty("event");
    for (EventField field : EventField.values()) {
      field(section, field.toString()).ifPresent(found -> fields.put(field, found));
    }
    for (EventField field : List.of(EventField.TYPE, EventField.PAYLOAD)) {
      if (!section.has(field.toString())) {
        root.problem("event", "'event' has no '" + field + "': the column with it");
      }
    }
    section.done();
    return fields;
  }

  private Map<String, Field> headers() {
    Map<String, Field> headers = new LinkedHashMap<>();
    Section section = root.sectionOrEmpty("headers");
    section.names().forEach(name -> field(section, name).ifPresent(f -> headers.put(name, f)));
    return headers;
  }

  /** The name of a column, or a section that says more. */
  private static Optional<Field> field(Section section, String key) {
    if (!section.isSection(key)) {
      return Optional.ofNullable(section.text(key)).map(Field::of);
    }
    Section from = section.sectionOrEmpty(key);
    String column = from.text("column");
    String constant = from.text("constant");
    boolean simpleName = "simple-name".equals(from.text("as"));
    if (from.has("as") && !simpleName) {
      from.problem("as", "must be simple-name");
    }
    Map<String, String> names = from.properties("names");
    boolean optional = Values.of(from).flag("optional", false);
    from.done();
    if ((column == null) == (constant == null)) {
      section.problem(key, "needs either 'column' or 'constant'");
      return Optional.empty();
    }
    return Optional.of(new Field(column, constant, simpleName, names, optional));
  }
}
