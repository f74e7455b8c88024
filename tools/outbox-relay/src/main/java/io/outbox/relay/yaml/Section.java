package io.outbox.relay.yaml;

import io.outbox.relay.yaml.Variables.Expanded;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Settings by name. A wrong one is added to the problems and replaced by the default, so that
 * reading continues. {@link #done} reports unknown settings. Not thread-safe.
 */
public final class Section {

  private record Entry(Position at, Node node) {}

  private final Position at;
  private final Variables variables;
  private final Problems problems;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private final Set<String> known = new TreeSet<>();

  Section(Position at, MappingNode node, Variables variables, Problems problems) {
    this.at = at;
    this.variables = variables;
    this.problems = problems;
    if (node != null) {
      node.getValue().forEach(this::addEntry);
    }
  }

  private void addEntry(NodeTuple tuple) {
    int line = line(tuple.getKeyNode(), at.line());
    if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
      problems.add(new Position(line, at.path()), "the name of a setting must be a text");
      return;
    }
    Entry entry = new Entry(at.child(line, key.getValue()), tuple.getValueNode());
    Entry earlier = entries.putIfAbsent(key.getValue(), entry);
    if (earlier != null) {
      problems.add(entry.at(), "is a duplicate; the first is in line " + earlier.at().line());
    }
  }

  private static int line(Node node, int otherwise) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(otherwise);
  }

  public Position at() {
    return at;
  }

  /** Where a setting is; the section itself if it is not there. */
  public Position at(String key) {
    Entry entry = entries.get(key);
    return entry == null ? at : entry.at();
  }

  public boolean has(String key) {
    known.add(key);
    Entry entry = entries.get(key);
    return entry != null && !Tag.NULL.equals(entry.node().getTag());
  }

  /** Whether a setting is there, even if it is empty. */
  public boolean isWritten(String key) {
    return entries.containsKey(key);
  }

  /** Whether a setting has settings below it. */
  public boolean isSection(String key) {
    return has(key) && entries.get(key).node() instanceof MappingNode;
  }

  /** Of all settings, where these are of the user's choice. */
  public List<String> names() {
    known.addAll(entries.keySet());
    return List.copyOf(entries.keySet());
  }

  public void problem(String key, String message) {
    problems.add(at(key), message);
  }

  public Problems problems() {
    return problems;
  }

  /** A text that may be shown; null if there is none. */
  public String text(String key) {
    return scalar(key).map(Scalar::value).orElse(null);
  }

  /** A text that must be there; if it is not, that is a problem and null. */
  public String required(String key, String why) {
    String text = text(key);
    if ((text == null || text.isBlank()) && !isMistaken(key)) {
      problems.add(at, "'" + key + "' is missing: " + why);
      return null;
    }
    return text;
  }

  private boolean isMistaken(String key) {
    return has(key) && !(entries.get(key).node() instanceof ScalarNode);
  }

  /** A text that must never be shown; null if there is none. */
  public String secret(String key) {
    Optional<Scalar> scalar = scalar(key);
    scalar.ifPresent(found -> variables.secrets().add(found.value()));
    return scalar.map(Scalar::value).orElse(null);
  }

  /** An address, in which there may be secrets; null if there is none. */
  public String address(String key) {
    return scalar(key).map(this::hideSecretsOf).orElse(null);
  }

  private String hideSecretsOf(Scalar scalar) {
    scalar.parts().forEach(variables.secrets()::add);
    variables.secrets().addThoseOf(scalar.value());
    return scalar.value();
  }

  /** One text, or a list of them. */
  public List<String> texts(String key) {
    return scalars(key).stream().map(Scalar::value).toList();
  }

  /** One address, or a list of them, in which there may be secrets. */
  public List<String> addresses(String key) {
    return scalars(key).stream().map(this::hideSecretsOf).toList();
  }

  private List<Scalar> scalars(String key) {
    if (has(key) && entries.get(key).node() instanceof SequenceNode list) {
      Position listAt = at(key);
      List<Scalar> scalars = new ArrayList<>();
      for (Node item : list.getValue()) {
        scalar(listAt.item(line(item, listAt.line()), scalars.size()), item)
            .ifPresent(scalars::add);
      }
      return scalars;
    }
    return scalar(key).map(List::of).orElse(List.of());
  }

  /** Names and values that are handed on to somebody else. */
  public Map<String, String> properties(String key) {
    Map<String, String> properties = new LinkedHashMap<>();
    section(key)
        .ifPresent(
            section ->
                section.entries.forEach(
                    (name, entry) -> {
                      section.known.add(name);
                      section
                          .scalar(entry.at(), entry.node())
                          .ifPresent(value -> properties.put(name, hide(name, value)));
                    }));
    return properties;
  }

  private String hide(String name, Scalar scalar) {
    if (Secrets.isNameOfSecret(name)) {
      variables.secrets().add(scalar.value());
    }
    return hideSecretsOf(scalar);
  }

  /** A section below this one; empty if it is not there. */
  public Optional<Section> section(String key) {
    if (!has(key)) {
      return Optional.empty();
    }
    Entry entry = entries.get(key);
    if (entry.node() instanceof MappingNode mapping) {
      return Optional.of(new Section(entry.at(), mapping, variables, problems));
    }
    problems.add(entry.at(), "must have settings below it, but is " + kind(entry.node()));
    return Optional.empty();
  }

  /** A section below this one; one without settings if it is not there. */
  public Section sectionOrEmpty(String key) {
    return section(key).orElseGet(() -> new Section(at(key), null, variables, problems));
  }

  /** The sections below this one, each with a name of the user's choice. */
  public Map<String, Section> namedSections() {
    Map<String, Section> sections = new LinkedHashMap<>();
    entries.keySet().forEach(key -> section(key).ifPresent(found -> sections.put(key, found)));
    return sections;
  }

  /** A list of sections. */
  public List<Section> items(String key) {
    if (!has(key)) {
      return List.of();
    }
    Entry entry = entries.get(key);
    if (!(entry.node() instanceof SequenceNode list)) {
      problems.add(entry.at(), "must be a list, but is " + kind(entry.node()));
      return List.of();
    }
    List<Section> sections = new ArrayList<>();
    for (int i = 0; i < list.getValue().size(); i++) {
      Node node = list.getValue().get(i);
      Position itemAt = entry.at().item(line(node, entry.at().line()), i);
      if (node instanceof MappingNode mapping) {
        sections.add(new Section(itemAt, mapping, variables, problems));
      } else {
        problems.add(itemAt, "must have settings, but is " + kind(node));
      }
    }
    return sections;
  }

  /** Reading has ended: settings nobody read are problems. */
  public void done() {
    entries.forEach(
        (key, entry) -> {
          if (!known.contains(key)) {
            problems.add(entry.at(), "unknown setting; " + Spelling.hint(key, known));
          }
        });
  }

  /**
   * A value as it is written and as it is meant.
   *
   * @param raw may be shown: it has no values from outside
   * @param parts the values from outside
   */
  record Scalar(Position at, String raw, String value, List<String> parts) {}

  Optional<Scalar> scalar(String key) {
    return has(key) ? scalar(at(key), entries.get(key).node()) : Optional.empty();
  }

  private Optional<Scalar> scalar(Position scalarAt, Node node) {
    Objects.requireNonNull(node, "node");
    if (!(node instanceof ScalarNode scalar)) {
      problems.add(scalarAt, "must be one value, but is " + kind(node));
      return Optional.empty();
    }
    try {
      Expanded expanded = variables.expand(scalar.getValue());
      return Optional.of(
          new Scalar(scalarAt, scalar.getValue(), expanded.text(), expanded.parts()));
    } catch (IllegalArgumentException e) {
      problems.add(scalarAt, e.getMessage());
      return Optional.empty();
    }
  }

  private static String kind(Node node) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue().isEmpty() ? "empty" : "one value";
    }
    return node instanceof SequenceNode ? "a list" : "a section";
  }
}
