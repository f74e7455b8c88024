package io.outbox.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The sentences of a Markdown page: its paragraphs and list items, without code, tables and
 * headings. Needs nothing but the JDK, so that it can also be run: {@code java
 * tests/docs-tests/src/test/java/io/outbox/docs/Prose.java README.md docs/*.md} prints how long
 * sentences and lines are, and what is wrong.
 */
final class Prose {

  /**
   * A sentence.
   *
   * @param line the number of the line in which its paragraph begins, from 1
   */
  record Sentence(int line, String text) {

    int words() {
      return (int)
          Pattern.compile("\\s+").splitAsStream(text).filter(Prose::hasLetterOrDigit).count();
    }
  }

  static final int MAX_COLUMNS = 120;
  static final int MAX_WORDS = 40;

  /** Phrases that make a reader work, and what to write instead. */
  private static final Map<Pattern, String> BANNED =
      banned(
          "as a rule: leave it out",
          "for good: permanently, or leave it out",
          "in silence: silently",
          "without further ado: leave it out",
          "if you like: optionally",
          "as far as: say which, or leave it out",
          "(a|an|one) [a-z-]+ of (its|their|our|your) own: its own ...",
          "of (yours|ours): your ..., our ...",
          "whoever: name who it is",
          "what is said of: repeat the noun",
          "behind [a-z']+ back: directly",
          "no concern of: name what does not change",
          "behaviours?|colours?|neighbours?|favours?|honours?|centre|grey: American spelling",
          "catalogue|licence|cancelled: American spelling",
          "(recogn|serial|initial|organ|normal|synchron|summar)is(e|ed|es|ing|ation): American spelling",
          // the terms of the glossary, and not these
          "gates?: circuit breaker",
          "puts? (off|back)|putting (off|back)|postpon\\w+: defer",
          "put-off: deferred",
          "dry-run: dry run",
          "(hot|cold) side: hot path, cold path",
          "walks?|walked|walking: key scan",
          "back-off: backoff",
          "hand-over: handover",
          "take-over: takeover",
          "shards?: lane",
          "left to the poller: handed to the poller");

  private static final Pattern FENCE = Pattern.compile("\\s*```.*");
  private static final Pattern ITEM = Pattern.compile("\\s*(?:[-*]|\\d+\\.)\\s+(.*)");
  private static final Pattern END =
      Pattern.compile("(?<=[.!?])[*)\"]*\\s+(?=[\\p{Lu}\\d`\"(\\[*])|(?<=[.!?]\\*\\*)\\s+");
  private static final Pattern NOT_AN_END = Pattern.compile("(?:e\\.g|i\\.e|vs)\\.$");

  private final List<Sentence> sentences = new ArrayList<>();
  private final StringBuilder paragraph = new StringBuilder();
  private int begin;

  private Prose() {}

  static List<Sentence> sentences(List<String> lines) {
    Prose prose = new Prose();
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (FENCE.matcher(line).matches()) {
        prose.endParagraph();
        code = !code;
      } else if (!code) {
        prose.add(line, i + 1);
      }
    }
    prose.endParagraph();
    return prose.sentences;
  }

  private static Map<Pattern, String> banned(String... rules) {
    Map<Pattern, String> patterns = new LinkedHashMap<>();
    for (String rule : rules) {
      int colon = rule.lastIndexOf(": ");
      patterns.put(
          Pattern.compile("\\b(?:" + rule.substring(0, colon) + ")\\b", Pattern.CASE_INSENSITIVE),
          rule.substring(colon + 2));
    }
    return patterns;
  }

  /** What a page does that this project's pages do not do, each with its line. */
  static List<String> problems(List<String> lines) {
    List<String> problems = new ArrayList<>();
    for (int line : linesLongerThan(MAX_COLUMNS, lines)) {
      problems.add(line + ": a line of more than " + MAX_COLUMNS + " characters");
    }
    for (Sentence sentence : sentences(lines)) {
      if (sentence.words() > MAX_WORDS) {
        problems.add(sentence.line + ": " + sentence.words() + " words: " + sentence.text);
      }
    }
    for (Sentence text : texts(lines)) {
      phrases(text.text).forEach(phrase -> problems.add(text.line + ": " + phrase));
    }
    return problems;
  }

  /** Banned phrases of a text, each with what to write instead. */
  static List<String> phrases(String text) {
    List<String> found = new ArrayList<>();
    BANNED.forEach(
        (phrase, instead) ->
            phrase
                .matcher(text)
                .results()
                .forEach(match -> found.add("\"" + match.group() + "\"; write: " + instead)));
    return found;
  }

  /** Sentences, headings and rows of tables. */
  private static List<Sentence> texts(List<String> lines) {
    List<Sentence> texts = new ArrayList<>(sentences(lines));
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (FENCE.matcher(line).matches()) {
        code = !code;
      } else if (!code && (isTable(line) || line.startsWith("#"))) {
        texts.add(new Sentence(i + 1, readable(line)));
      }
    }
    return texts;
  }

  /** Lines that are too long, code, tables and links of their own aside. */
  static List<Integer> linesLongerThan(int columns, List<String> lines) {
    List<Integer> found = new ArrayList<>();
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (FENCE.matcher(line).matches()) {
        code = !code;
      } else if (!code && !isTable(line) && withoutAddresses(line).length() > columns) {
        found.add(i + 1);
      }
    }
    return found;
  }

  /** What a reader sees of links and pictures. */
  private static String withoutAddresses(String line) {
    return line.replaceAll("\\]\\([^)]*\\)", "]");
  }

  static boolean isTable(String line) {
    return line.startsWith("|");
  }

  private void add(String line, int number) {
    var item = ITEM.matcher(line);
    if (line.isBlank() || line.startsWith("#") || line.startsWith("<!--") || isTable(line)) {
      endParagraph();
    } else if (item.matches()) {
      endParagraph();
      append(item.group(1), number);
    } else {
      append(line.strip(), number);
    }
  }

  private void append(String text, int number) {
    if (paragraph.isEmpty()) {
      begin = number;
    }
    paragraph.append(text).append(' ');
  }

  private void endParagraph() {
    String text = readable(paragraph.toString());
    paragraph.setLength(0);
    String open = "";
    for (String part : END.split(text)) {
      open = open.isEmpty() ? part : open + " " + part;
      if (!NOT_AN_END.matcher(part).find()) {
        addSentence(open);
        open = "";
      }
    }
    addSentence(open);
  }

  /** Without pictures, addresses and code. */
  private static String readable(String text) {
    return text.replaceAll("!\\[[^\\]]*\\]\\([^)]*\\)", "")
        .replaceAll("`[^`]+`", "Code")
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .strip();
  }

  private void addSentence(String text) {
    if (hasLetterOrDigit(text)) {
      sentences.add(new Sentence(begin, text.strip()));
    }
  }

  private static boolean hasLetterOrDigit(String text) {
    return text.chars().anyMatch(Character::isLetterOrDigit);
  }

  /** Prints the figures and the problems of the pages that are named. */
  public static void main(String[] files) throws IOException {
    List<Sentence> all = new ArrayList<>();
    int longestLine = 0;
    for (String file : files) {
      List<String> lines = Files.readAllLines(Path.of(file));
      List<Sentence> ofFile = sentences(lines);
      all.addAll(ofFile);
      int longest = longestLine(lines);
      longestLine = Math.max(longestLine, longest);
      print(file, ofFile, longest);
      problems(lines).forEach(problem -> System.out.println("  " + problem));
    }
    print("all", all, longestLine);
  }

  private static int longestLine(List<String> lines) {
    int columns = lines.stream().mapToInt(String::length).max().orElse(0);
    while (columns > 0 && linesLongerThan(columns - 1, lines).isEmpty()) {
      columns--;
    }
    return columns;
  }

  private static void print(String name, List<Sentence> sentences, int longestLine) {
    int words = sentences.stream().mapToInt(Sentence::words).sum();
    long longOnes = sentences.stream().filter(sentence -> sentence.words() > 25).count();
    Sentence longest =
        sentences.stream()
            .max(Comparator.comparingInt(Sentence::words))
            .orElse(new Sentence(0, ""));
    System.out.printf(
        Locale.ROOT,
        "%-28s %5d sentences, %4.1f words on average, %4.1f %% over 25 words,"
            + " longest %2d words (line %d), longest line %d%n",
        name,
        sentences.size(),
        words / Math.max(1.0, sentences.size()),
        100.0 * longOnes / Math.max(1, sentences.size()),
        longest.words(),
        longest.line(),
        longestLine);
  }
}
