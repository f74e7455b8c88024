import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * How large the house is: lines of code of each module, of its types and methods, types per
 * package, and what it exports. Blank lines, comments and imports do not count.
 *
 * <pre>java tools/house/House.java [folder of a module ...]</pre>
 */
class House {

  private static final List<String> MODULES =
      List.of(
          "outbox-core",
          "outbox-jdbc",
          "integrations/outbox-spring-boot-starter",
          "outbox-testing");

  /** Packages of a module that a user or reader may do without. */
  private static final List<String> OPTIONAL =
      List.of("io.outbox.jdbc.archive", "io.outbox.jdbc.partition");

  private static final Pattern EXPORT =
      Pattern.compile("^\\s*exports\\s+([\\w.]+)\\s*;", Pattern.MULTILINE);

  record Sized(String name, int lines) {}

  private final List<Sized> types = new ArrayList<>();
  private final List<Sized> methods = new ArrayList<>();
  private final List<String> longConstructors = new ArrayList<>();
  private final Map<String, Integer> packages = new TreeMap<>();
  private final Map<String, Integer> packageLines = new TreeMap<>();
  private int exported;
  private int hidden;
  private int total;

  public static void main(String[] args) throws IOException {
    List<String> modules = args.length > 0 ? List.of(args) : MODULES;
    System.out.println(
        "| module | lines | types: median / p90 / max | methods: p99 / max | largest package |"
            + " public, exported : hidden | constructors over 30 lines or 7 arguments |");
    System.out.println("|---|---|---|---|---|---|---|");
    System.out.println("| aim | | / 120 / 250 | / 30 | 20 | 60 in core | none |");
    List<String> largest = new ArrayList<>();
    int total = 0;
    for (String module : modules) {
      House house = new House();
      house.read(Path.of(module, "src", "main", "java"));
      System.out.println(house.row(module));
      OPTIONAL.stream()
          .filter(house.packages::containsKey)
          .map(name -> house.optionalRow(module, name))
          .forEach(System.out::println);
      house.types.stream()
          .filter(type -> type.lines() > 250)
          .map(House::named)
          .forEach(largest::add);
      total += house.total;
    }
    System.out.printf("%nTogether %,d lines. Types over 250 lines: %s%n", total, largest);
  }

  private void read(Path sources) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(sources)) {
      files =
          found
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .sorted()
              .toList();
    }
    List<String> exports = exportsOf(sources.resolve("module-info.java"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(
                      files.stream().filter(file -> !file.endsWith("module-info.java")).toList()));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        read(unit, positions, exports);
      }
    }
  }

  /** Null: no module, so that all is exported. */
  private static List<String> exportsOf(Path moduleInfo) throws IOException {
    if (!Files.exists(moduleInfo)) {
      return null;
    }
    return EXPORT
        .matcher(Files.readString(moduleInfo))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private void read(CompilationUnitTree unit, SourcePositions positions, List<String> exports) {
    BitSet code = codeLines(unit);
    total += code.cardinality();
    String name = String.valueOf(unit.getPackageName());
    packageLines.merge(name, code.cardinality(), Integer::sum);
    boolean exportedPackage =
        exports == null ? !name.contains(".internal") : exports.contains(name);
    LineMap lines = unit.getLineMap();
    new TreePathScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree type, Void nothing) {
        if (getCurrentPath().getParentPath().getLeaf() == unit) {
          types.add(new Sized(type.getSimpleName().toString(), count(type)));
          packages.merge(name, 1, Integer::sum);
          if (exportedPackage && type.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
            exported++;
          } else {
            hidden++;
          }
        }
        return super.visitClass(type, nothing);
      }

      @Override
      public Void visitMethod(MethodTree method, Void nothing) {
        Tree owner = getCurrentPath().getParentPath().getLeaf();
        String ownerName = owner instanceof ClassTree type ? type.getSimpleName().toString() : "";
        Sized sized = new Sized(ownerName + "." + method.getName(), count(method));
        methods.add(sized);
        boolean record = owner.getKind() == Tree.Kind.RECORD;
        if (method.getReturnType() == null
            && !record
            && (sized.lines() > 30 || method.getParameters().size() > 7)) {
          longConstructors.add(
              String.format(
                  "`%s` %d lines, %d arguments",
                  ownerName, sized.lines(), method.getParameters().size()));
        }
        return super.visitMethod(method, nothing);
      }

      private int count(Tree tree) {
        int from = (int) lines.getLineNumber(positions.getStartPosition(unit, tree));
        long end = positions.getEndPosition(unit, tree);
        int to = end < 0 ? from : (int) lines.getLineNumber(end);
        return code.get(from, to + 1).cardinality();
      }
    }.scan(unit, null);
  }

  private static BitSet codeLines(CompilationUnitTree unit) {
    String text;
    try {
      text = unit.getSourceFile().getCharContent(true).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    BitSet code = new BitSet();
    String[] lines = withoutComments(text).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (!line.isEmpty() && !line.startsWith("import ")) {
        code.set(i + 1);
      }
    }
    return code;
  }

  /** Texts and characters first, so that no comment begins in one. */
  private static String withoutComments(String text) {
    Matcher parts =
        Pattern.compile(
                "\"\"\".*?(?<!\\\\)\"\"\"|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'"
                    + "|/\\*.*?\\*/|//[^\n]*",
                Pattern.DOTALL)
            .matcher(text);
    return parts.replaceAll(
        part ->
            Matcher.quoteReplacement(
                part.group().startsWith("/")
                    ? part.group().replaceAll("[^\n]", "")
                    : part.group()));
  }

  private String row(String module) {
    Map.Entry<String, Integer> crowd =
        Collections.max(packages.entrySet(), Map.Entry.comparingByValue());
    return String.format(
        Locale.ROOT,
        "| %s | %,d | %d / %d / %s | %d / %s | %d (`%s`) | %d : %d | %s |",
        module,
        total,
        percentile(types, 50).lines(),
        percentile(types, 90).lines(),
        named(percentile(types, 100)),
        percentile(methods, 99).lines(),
        named(percentile(methods, 100)),
        crowd.getValue(),
        crowd.getKey(),
        exported,
        hidden,
        String.join("; ", longConstructors));
  }

  /** It is part of its module's row. */
  private String optionalRow(String module, String name) {
    return String.format(
        Locale.ROOT,
        "| of %s, optional: `%s` | %,d | | | %d | | |",
        module,
        name,
        packageLines.get(name),
        packages.get(name));
  }

  private static String named(Sized sized) {
    return sized.lines() + " (`" + sized.name() + "`)";
  }

  private static Sized percentile(List<Sized> all, int percent) {
    List<Sized> sorted =
        all.stream().sorted((a, b) -> Integer.compare(a.lines(), b.lines())).toList();
    return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
  }
}
