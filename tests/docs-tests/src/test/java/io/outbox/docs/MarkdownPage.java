package io.outbox.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page of the documentation: its code blocks, links and headings. */
final class MarkdownPage {

  /**
   * A fenced block.
   *
   * @param snippet what the comment above it names, or null
   * @param line the number of the line after the opening fence, from 0
   */
  record Block(String language, String snippet, boolean withImports, int line, int lineCount) {}

  private static final Pattern FENCE = Pattern.compile("```(\\w*)");
  private static final Pattern COMMENT =
      Pattern.compile("<!-- snippet: ([a-z0-9-]+)(, with imports)? -->");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]+\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("#+ (.*)");

  private final Path file;
  private final List<String> lines;
  private final List<Block> blocks = new ArrayList<>();
  private final List<String> prose = new ArrayList<>();

  MarkdownPage(Path file) {
    this.file = file;
    this.lines = Texts.lines(file);
    int i = 0;
    while (i < lines.size()) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int start = ++i;
        while (!lines.get(i).equals("```")) {
          i++;
        }
        blocks.add(block(fence.group(1), start, i - start));
      } else {
        prose.add(lines.get(i));
      }
      i++;
    }
  }

  private Block block(String language, int start, int lineCount) {
    Matcher comment = COMMENT.matcher(start < 2 ? "" : lines.get(start - 2));
    return comment.matches()
        ? new Block(language, comment.group(1), comment.group(2) != null, start, lineCount)
        : new Block(language, null, false, start, lineCount);
  }

  Path file() {
    return file;
  }

  List<Block> blocks() {
    return blocks;
  }

  String text(Block block) {
    return lines.subList(block.line, block.line + block.lineCount).stream()
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  /** The page with the text of each block replaced. */
  String with(java.util.function.Function<Block, String> texts) {
    StringBuilder page = new StringBuilder();
    int next = 0;
    for (Block block : blocks) {
      lines.subList(next, block.line).forEach(line -> page.append(line).append('\n'));
      page.append(texts.apply(block));
      next = block.line + block.lineCount;
    }
    lines.subList(next, lines.size()).forEach(line -> page.append(line).append('\n'));
    return page.toString();
  }

  /** Where the links outside of code lead to. */
  List<String> links() {
    List<String> links = new ArrayList<>();
    for (String line : prose) {
      LINK.matcher(line).results().forEach(match -> links.add(match.group(1)));
    }
    return links;
  }

  /** The names by which headings can be linked to. */
  List<String> anchors() {
    return prose.stream()
        .map(HEADING::matcher)
        .filter(Matcher::matches)
        .map(matcher -> anchor(matcher.group(1)))
        .toList();
  }

  private static String anchor(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}\\- _]", "")
        .replace(' ', '-');
  }
}
