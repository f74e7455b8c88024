package io.outbox.it;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The alert rules of the docs that compare one gauge with a number, asked of a real registry. */
final class Alerts {

  private static final Pattern RULE =
      Pattern.compile(
          "- alert: (\\w+)\\s+expr: (?:max|sum) by \\(job\\) \\((\\w+)\\) (>=?) (\\d+)\\n");

  private record Rule(String name, String metric, boolean orEqual, double limit) {
    boolean firesFor(double value) {
      return value > limit || orEqual && value == limit;
    }
  }

  /** They compare counters over time. */
  private static final Set<String> OF_COUNTERS =
      Set.of("OutboxEventsDead", "OutboxFailing", "OutboxHotQueueFull");

  private final List<Rule> rules = new ArrayList<>();

  Alerts() {
    try {
      String text = Files.readString(Path.of("../../docs/monitoring/prometheus-alerts.yml"));
      Matcher matcher = RULE.matcher(text);
      while (matcher.find()) {
        rules.add(
            new Rule(
                matcher.group(1),
                matcher.group(2),
                matcher.group(3).equals(">="),
                Double.parseDouble(matcher.group(4))));
      }
      Set<String> left = names(text);
      rules.forEach(rule -> left.remove(rule.name()));
      if (!left.equals(OF_COUNTERS)) {
        throw new IllegalStateException("not understood: " + left);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<String> names(String text) {
    return Pattern.compile("- alert: (\\w+)")
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** The alerts that would fire, in the order of the file, if it stays like this. */
  List<String> firing(PrometheusMeterRegistry registry) {
    String scraped = registry.scrape();
    return rules.stream()
        .filter(rule -> rule.firesFor(value(scraped, rule.metric())))
        .map(Rule::name)
        .toList();
  }

  /** A value of a scrape, as Prometheus reads it. */
  static double value(String scraped, String metric) {
    return scraped
        .lines()
        .filter(line -> line.startsWith(metric + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("there is no " + metric));
  }
}
