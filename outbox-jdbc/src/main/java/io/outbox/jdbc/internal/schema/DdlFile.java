package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
          "kept",
          "subscription");

  private static final List<Addition> ADDITIONS = List.of(Addition.values());

  private DdlFile() {}

  /** The DDL of the outbox table. */
  static String text(Product product, TableName table) {
    return product.family() == Product.Family.OTHER
        ? named(
            part(
                product,
                statement -> ADDITIONS.stream().noneMatch(a -> Product.isOf(a, statement))),
            table)
        : text(product.ddlResource(), table);
  }

  /** The DDL of what can be added to it. */
  static String text(Product product, Addition addition, TableName table) {
    return product.family() == Product.Family.OTHER
        ? named(part(product, statement -> Product.isOf(addition, statement)), table)
        : text(product.ddlResource(addition), table);
  }

  /** A dialect that is not ours has one text for all. */
  private static String part(Product product, Predicate<String> wanted) {
    return statements(product.foreignDdl()).stream()
        .filter(wanted)
        .map(statement -> statement + ";\n")
        .collect(Collectors.joining("\n"));
  }

  static String text(String resource, TableName table) {
    return named(read(resource), table);
  }

  private static String named(String ddl, TableName table) {
    return NAME.matcher(ddl)
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
