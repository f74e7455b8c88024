package io.outbox.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The regions of the tests that the documentation shows: lines between {@code // snippet: name} and
 * {@code // end}, or {@code --} instead of {@code //} in SQL, {@code #} in properties. A name used
 * again in the same file continues its region.
 */
final class Snippets {

  private static final Pattern START = Pattern.compile("\\s*(?://|--|#) snippet: ([a-z0-9-]+)");
  private static final Pattern END = Pattern.compile("\\s*(?://|--|#) end");
  private static final Pattern IMPORT = Pattern.compile("import (?:static )?[\\w.]+\\.(\\w+);");

  private record Region(List<List<String>> parts, List<String> imports) {

    String code() {
      return parts.stream().map(Region::unindented).collect(Collectors.joining("\n"));
    }

    private static String unindented(List<String> lines) {
      return String.join("\n", lines).stripTrailing().stripIndent() + "\n";
    }
  }

  private final Map<String, Region> regions = new TreeMap<>();

  private Snippets() {}

  /** Reads all regions below the directories. */
  static Snippets in(Path... sources) {
    Snippets snippets = new Snippets();
    for (Path directory : sources) {
      try (Stream<Path> files = Files.walk(directory)) {
        files.filter(Snippets::isSource).sorted().forEach(snippets::read);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return snippets;
  }

  private static boolean isSource(Path file) {
    return file.toString().endsWith(".java") || file.toString().endsWith(".properties");
  }

  Set<String> names() {
    return regions.keySet();
  }

  /** The text of a region, without its indentation; null if there is none of that name. */
  String text(String name, boolean withImports) {
    Region region = regions.get(name);
    if (region == null) {
      return null;
    }
    String code = region.code();
    String imports = withImports ? importsOf(region, code) : "";
    return imports + code;
  }

  private static String importsOf(Region region, String code) {
    return region.imports.stream().filter(line -> isUsed(line, code)).collect(Collectors.joining())
        + "\n";
  }

  private static boolean isUsed(String importLine, String code) {
    Matcher matcher = IMPORT.matcher(importLine.strip());
    return matcher.matches()
        && Pattern.compile("\\b" + matcher.group(1) + "\\b").matcher(code).find();
  }

  private void read(Path file) {
    List<String> imports = new ArrayList<>();
    Map<String, Region> ofFile = new TreeMap<>();
    List<String> open = null;
    for (String line : Texts.lines(file)) {
      Matcher start = START.matcher(line);
      if (line.startsWith("import ")) {
        imports.add(line + "\n");
      } else if (start.matches()) {
        require(open == null, file, "a snippet starts within another: " + line);
        open = open(ofFile, start.group(1), imports);
      } else if (END.matcher(line).matches()) {
        require(open != null, file, "the end of a snippet that did not start");
        open = null;
      } else if (open != null) {
        open.add(line);
      }
    }
    require(open == null, file, "a snippet does not end");
    ofFile.forEach(
        (name, region) ->
            require(
                regions.put(name, region) == null, file, "again the name of a snippet: " + name));
  }

  private static List<String> open(Map<String, Region> ofFile, String name, List<String> imports) {
    List<String> part = new ArrayList<>();
    ofFile.computeIfAbsent(name, key -> new Region(new ArrayList<>(), imports)).parts.add(part);
    return part;
  }

  private static void require(boolean condition, Path file, String message) {
    if (!condition) {
      throw new IllegalStateException(file.getFileName() + ": " + message);
    }
  }
}
