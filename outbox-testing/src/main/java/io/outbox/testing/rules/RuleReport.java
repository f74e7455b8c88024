package io.outbox.testing.rules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Writes which rules the tests of a class have shown. */
final class RuleReport implements TestWatcher, AfterAllCallback {

  private static final int RULES = 26;
  private static final Pattern RULE = Pattern.compile("R(\\d+)_");
  private static final String DIRECTORY = "outbox.rules.report";

  private enum Verdict {
    FAILED("failed"),
    SHOWN("shown"),
    NOT_APPLICABLE("not applicable");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }
  }

  private record Line(String test, Verdict verdict, String why) {}

  private final List<Line> lines = new ArrayList<>();

  @Override
  public void testSuccessful(ExtensionContext context) {
    add(context, Verdict.SHOWN, "");
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    add(context, Verdict.FAILED, "");
  }

  @Override
  public void testAborted(ExtensionContext context, Throwable cause) {
    String why = String.valueOf(cause.getMessage());
    add(context, Verdict.NOT_APPLICABLE, why.replaceFirst("Assumption failed: ", ""));
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    add(context, Verdict.NOT_APPLICABLE, reason.orElse("disabled"));
  }

  private synchronized void add(ExtensionContext context, Verdict verdict, String why) {
    lines.add(new Line(context.getRequiredTestMethod().getName(), verdict, why));
  }

  @Override
  public synchronized void afterAll(ExtensionContext context) throws IOException {
    Path directory = Path.of(System.getProperty(DIRECTORY, "target/delivery-rules"));
    Files.createDirectories(directory);
    String name = context.getRequiredTestClass().getName();
    Files.writeString(directory.resolve(name + ".md"), report(name));
  }

  private String report(String name) {
    StringBuilder report = new StringBuilder("# Rules of delivery: " + name + "\n\n");
    report.append("| rule | verdict | test |\n|---|---|---|\n");
    for (int rule = 1; rule <= RULES; rule++) {
      report.append(row("R" + rule, ofRule(rule)));
    }
    lines.stream()
        .filter(line -> rules(line.test()).isEmpty())
        .map(line -> row("other", List.of(line)))
        .sorted()
        .forEach(report::append);
    return report.toString();
  }

  private List<Line> ofRule(int rule) {
    return lines.stream().filter(line -> rules(line.test()).contains(rule)).toList();
  }

  /** A name may begin with several rules. */
  private static List<Integer> rules(String test) {
    List<Integer> rules = new ArrayList<>();
    Matcher matcher = RULE.matcher(test);
    while (matcher.lookingAt()) {
      rules.add(Integer.valueOf(matcher.group(1)));
      matcher.region(matcher.end(), test.length());
    }
    return rules;
  }

  private static String row(String rule, List<Line> tests) {
    String verdict =
        tests.stream()
            .map(Line::verdict)
            .min(Enum::compareTo)
            .map(worst -> worst.text)
            .orElse("not tested here");
    String named =
        tests.stream()
            .map(line -> line.test() + (line.why().isEmpty() ? "" : " (" + line.why() + ")"))
            .sorted()
            .collect(Collectors.joining("<br>"));
    return "| %s | %s | %s |\n".formatted(rule, verdict, named);
  }
}
