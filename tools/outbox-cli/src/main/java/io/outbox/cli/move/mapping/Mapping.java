package io.outbox.cli.move.mapping;

import java.time.ZoneId;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which rows of a table become events, and how. Immutable.
 *
 * @param rows which rows are of which kind
 * @param where what holds for all rows that are meant
 * @param taken the values of a row that was taken; empty if it is deleted
 * @param fields the parts of an event
 * @param headers further headers, by name
 */
public record Mapping(
    Origin origin,
    Map<RowKind, Condition> rows,
    List<Condition> where,
    Map<String, String> taken,
    Map<EventField, Field> fields,
    Map<String, Field> headers) {

  private static final Pattern TABLE =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*){0,2}");

  /**
   * The table.
   *
   * @param key its primary key, one column
   * @param orderBy the column that tells older from newer rows; null for that of occurred-at
   * @param namespace for {@link #idNamespace()}; null for the table's name
   * @param zone of times that are stored without one
   */
  public record Origin(String table, String key, String orderBy, String namespace, ZoneId zone) {

    public Origin {
      requireTable(table);
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(zone, "zone");
    }

    /** What tells equal ids of two tables apart. */
    public String idNamespace() {
      return namespace == null
          ? table.substring(table.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)
          : namespace;
    }
  }

  public Mapping {
    Objects.requireNonNull(origin, "origin");
    rows = Collections.unmodifiableMap(new EnumMap<>(rows));
    where = List.copyOf(where);
    taken = Collections.unmodifiableMap(new LinkedHashMap<>(taken));
    fields = Collections.unmodifiableMap(new EnumMap<>(fields));
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  /** Refuses what could be more than a name. */
  public static String requireTable(String name) {
    if (!TABLE.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no table name: letters, digits and _, or schema.table");
    }
    return name;
  }

  /** The same rows in another table. */
  public Mapping from(String table) {
    Origin other =
        new Origin(table, origin.key(), origin.orderBy(), origin.namespace(), origin.zone());
    return new Mapping(other, rows, where, taken, fields, headers);
  }

  /** The kinds of rows that it knows. */
  public Set<RowKind> kinds() {
    return rows.keySet();
  }
}
