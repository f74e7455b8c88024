package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The DDL file of a product, for one table, and its parts: validation and migration take from it
 * what should be there, so that there is one definition of everything.
 */
public final class Ddl {

  private static final Pattern INDEX_NAME = Pattern.compile("(?:INDEX|KEY) (\\w+)");
  private static final Pattern OPTIONS = Pattern.compile("\\) WITH (\\(.*\\))$", Pattern.DOTALL);

  private final TableName table;
  private final String text;
  private final List<String> statements;
  private final Map<String, String> columns = new LinkedHashMap<>();
  private final Map<String, String> checks = new LinkedHashMap<>();
  private final Map<String, String> indexes = new LinkedHashMap<>();

  private Ddl(TableName table, String text) {
    this.table = table;
    this.text = text;
    this.statements = DdlFile.statements(text);
    definitions(statements.get(0)).forEach(this::sort);
    statements.stream()
        .skip(1)
        .filter(statement -> INDEX_NAME.matcher(statement).find())
        .forEach(statement -> indexes.put(indexName(statement), statement));
  }

  /** Reads the file of {@code product} and puts the names of {@code table} into it. */
  public static Ddl of(Product product, TableName table) {
    return new Ddl(table, DdlFile.text(product, table));
  }

  /** The whole file. */
  public String text() {
    return text;
  }

  public List<String> statements() {
    return statements;
  }

  /** Names, lower case, and definitions of the columns. */
  Map<String, String> columns() {
    return columns;
  }

  /** Names, lower case, and definitions of the check constraints. */
  Map<String, String> checks() {
    return checks;
  }

  /** Names, lower case, of the indexes, and the statements that create them. */
  Map<String, String> indexes() {
    return indexes;
  }

  /** The storage parameters in parentheses, or null. */
  String options() {
    Matcher options = OPTIONS.matcher(statements.get(0));
    return options.find() ? options.group(1) : null;
  }

  private void sort(String definition) {
    if (definition.startsWith("CONSTRAINT")) {
      if (definition.contains(" CHECK ")) {
        checks.put(lowerCase(definition.split(" ")[1]), definition);
      }
    } else if (definition.startsWith("KEY") || definition.startsWith("UNIQUE KEY")) {
      indexes.put(indexName(definition), "ALTER TABLE " + table + " ADD " + definition);
    } else if (!definition.startsWith("PRIMARY KEY")) {
      columns.put(lowerCase(definition.split(" ")[0]), definition);
    }
  }

  private static String indexName(String statement) {
    Matcher name = INDEX_NAME.matcher(statement);
    if (!name.find()) {
      throw new IllegalStateException("not an index: " + statement);
    }
    return lowerCase(name.group(1));
  }

  static String lowerCase(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** What stands between the commas in the first pair of parentheses. */
  private static List<String> definitions(String createTable) {
    List<String> definitions = new ArrayList<>();
    int start = createTable.indexOf('(') + 1;
    int depth = 0;
    for (int i = start; depth >= 0; i++) {
      char c = createTable.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0 || (depth == 0 && c == ',')) {
        definitions.add(createTable.substring(start, i).strip().replaceAll("\\s+", " "));
        start = i + 1;
      }
    }
    return definitions;
  }
}
