package io.outbox.it;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The panels of the docs' dashboard that show gauges as numbers, asked of a real registry. */
final class Dashboard {

  private static final Pattern GAUGE =
      Pattern.compile("(?:max|sum)\\((outbox_\\w+)\\{job=~\"\\$job\"\\}\\)");

  private final Map<String, String> expressions = new LinkedHashMap<>();

  Dashboard() {
    try {
      String text = Files.readString(Path.of("../../docs/monitoring/grafana-dashboard.json"));
      for (JsonElement each :
          JsonParser.parseString(text).getAsJsonObject().getAsJsonArray("panels")) {
        JsonObject panel = each.getAsJsonObject();
        String expression =
            panel.getAsJsonArray("targets").get(0).getAsJsonObject().get("expr").getAsString();
        if (panel.get("type").getAsString().equals("stat") && !expression.contains("rate(")) {
          expressions.put(panel.get("title").getAsString(), expression);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What each panel shows, by its title, as far as that is not 0. */
  Map<String, Double> shown(PrometheusMeterRegistry registry) {
    String scraped = registry.scrape();
    return expressions.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, panel -> value(scraped, panel.getValue())))
        .entrySet()
        .stream()
        .filter(panel -> panel.getValue() != 0)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static double value(String scraped, String expression) {
    double sum = 0;
    for (String part : expression.split(" \\+ ", -1)) {
      Matcher gauge = GAUGE.matcher(part);
      if (!gauge.matches()) {
        throw new IllegalStateException("not understood: " + expression);
      }
      sum += Alerts.value(scraped, gauge.group(1));
    }
    return sum;
  }
}
