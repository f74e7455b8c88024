package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.TableName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads a file of DDL and puts the names of a table into it. */
final class DdlFile {

  private static final Pattern NAME = Pattern.compile("\\boutbox_event(_[a-z_]+)?\\b");

  /** Tables, unlike indexes and constraints, are named with their schema. */
  private static final Set<String> SIBLINGS =
      Set.of(
          "lane",
          "node",
          "block",
          "pause",
          "audit",
          "member",
          "archive",
          "hold",
          "default",
          "subscription");

  private DdlFile() {}

  static String text(String resource, TableName table) {
    return NAME.matcher(read(resource))
        .replaceAll(
            name ->
                name.group(1) == null
                    ? table.toString()
                    : named(table, name.group(1).substring(1)));
  }

  private static String named(TableName table, String suffix) {
    return SIBLINGS.contains(suffix) ? table.sibling(suffix).toString() : table.derived(suffix);
  }

  static List<String> statements(String text) {
    return Arrays.stream(text.replaceAll("(?m)^\\s*--.*\\R", "").split(";\\s*(?:\\R|$)"))
        .map(String::strip)
        .filter(statement -> !statement.isEmpty())
        .toList();
  }

  private static String read(String resource) {
    try (InputStream in = DdlFile.class.getModule().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing in the outbox-jdbc jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
