package io.outbox.faults.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a node is told at its start, as words of a command line. Immutable. */
public final class NodeSettings {

  /** How long a node keeps what it does not renew. */
  public static final Duration LEASE = Duration.ofSeconds(3);

  private final Map<String, String> values;
  private final Map<String, String> environment;

  private NodeSettings(Map<String, String> values, Map<String, String> environment) {
    this.values = Map.copyOf(values);
    this.environment = Map.copyOf(environment);
  }

  public static NodeSettings of(Mode mode) {
    return new NodeSettings(Map.of(), Map.of()).with("mode", mode.toString());
  }

  public static NodeSettings parse(String... words) {
    Map<String, String> values = new TreeMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      values.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return new NodeSettings(values, Map.of());
  }

  public NodeSettings with(String name, Object value) {
    Map<String, String> more = new TreeMap<>(values);
    more.put(name, value.toString());
    return new NodeSettings(more, environment);
  }

  /** Where the node finds the database. */
  public NodeSettings at(String url, String user, String password) {
    return with("url", url).with("user", user).with("password", password);
  }

  /** With a variable of the environment of its process. */
  public NodeSettings withVariable(String name, String value) {
    Map<String, String> more = new TreeMap<>(environment);
    more.put(name, value);
    return new NodeSettings(values, more);
  }

  public String get(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("nobody said what " + name + " is");
    }
    return value;
  }

  public String get(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  public Mode mode() {
    return Mode.of(get("mode"));
  }

  public List<String> words() {
    List<String> words = new ArrayList<>();
    values.forEach((name, value) -> words.add(name + "=" + value));
    return words;
  }

  public Map<String, String> environment() {
    return environment;
  }
}
