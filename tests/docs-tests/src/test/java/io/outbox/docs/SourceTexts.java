package io.outbox.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What users read of sources: the Javadoc of public types, and string literals of at least three
 * words, such as log lines, exceptions and help. Found by a scan of the text, not by a parser.
 */
final class SourceTexts {

  private static final List<String> FOLDERS =
      List.of(
          "outbox-console",
          "outbox-core",
          "outbox-inbox",
          "outbox-jdbc",
          "outbox-testing",
          "publishers",
          "integrations",
          "tools");

  private static final Pattern JAVADOC_OR_LITERAL =
      Pattern.compile("/\\*\\*(?s:.*?)\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"");
  private static final Pattern SCRIPT_LITERAL = Pattern.compile("'(?:\\\\.|[^'\\\\\n])*'");
  private static final Pattern PUBLIC_TYPE =
      Pattern.compile("(?m)^(?:public .*\\b(?:class|interface|enum|record) |public @interface )");
  private static final Pattern THREE_WORDS = Pattern.compile("(?:[A-Za-z,]+ ){2}[A-Za-z]+");
  private static final Pattern SQL =
      Pattern.compile("\\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WITH)\\b");

  private SourceTexts() {}

  /** Sources of what is published. */
  static List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (String folder : FOLDERS) {
      try (Stream<Path> all = Files.walk(Texts.page(folder))) {
        all.filter(SourceTexts::isSource).sorted().forEach(files::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return files;
  }

  private static boolean isSource(Path file) {
    String path = Texts.ROOT.relativize(file).toString().replace('\\', '/');
    return path.contains("/src/main/java/") && path.endsWith(".java")
        || path.contains("/src/main/resources/") && path.endsWith(".js");
  }

  /** Banned phrases, each with its file and line. */
  static List<String> problems(Path file) {
    return problems(Texts.ROOT.relativize(file).toString(), Texts.read(file));
  }

  static List<String> problems(String name, String source) {
    boolean isPublic = PUBLIC_TYPE.matcher(source).find() && !name.contains("internal");
    Pattern texts = name.endsWith(".js") ? SCRIPT_LITERAL : JAVADOC_OR_LITERAL;
    List<String> problems = new ArrayList<>();
    texts
        .matcher(source)
        .results()
        .filter(found -> isRead(found.group(), isPublic))
        .forEach(
            found ->
                Prose.phrases(words(found.group()))
                    .forEach(
                        phrase -> problems.add(name + ":" + line(source, found) + ": " + phrase)));
    return problems;
  }

  private static boolean isRead(String text, boolean isPublic) {
    return text.startsWith("/**")
        ? isPublic
        : THREE_WORDS.matcher(text).find() && !SQL.matcher(text).find();
  }

  /** Without code, options, and the stars of Javadoc. */
  private static String words(String text) {
    return text.replaceAll("\\s*\\n\\s*\\*\\s?", " ")
        .replaceAll("\\{@[^}]*\\}", "Code")
        .replaceAll("--[a-z-]+", "Code");
  }

  private static long line(String source, MatchResult found) {
    return source.substring(0, found.start()).chars().filter(c -> c == '\n').count() + 1;
  }
}
