package io.outbox.relay;

import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.Brokers;
import io.outbox.relay.rule.RuleReader;
import io.outbox.relay.rule.Rules;
import io.outbox.relay.table.DatabaseConfig;
import io.outbox.relay.table.TableConfig;
import io.outbox.relay.yaml.Problems;
import io.outbox.relay.yaml.Secrets;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import io.outbox.relay.yaml.Variables;
import io.outbox.relay.yaml.YamlFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The tables a relay reads, and where it publishes. Immutable. */
public final class RelayConfig {

  private final Secrets secrets;
  private final Problems problems;
  private LogLevel logLevel;
  private HttpConfig http;
  private HealthConfig health;
  private final List<TableConfig> tables = new ArrayList<>();
  private Rules rules;

  private RelayConfig(String file) {
    this.secrets = new Secrets();
    this.problems = new Problems(file, secrets);
  }

  /**
   * Reads and checks a file.
   *
   * @throws RelayConfigException with all problems
   */
  public static RelayConfig load(Path file) throws RelayConfigException {
    return load(file, System::getenv);
  }

  static RelayConfig load(Path file, UnaryOperator<String> environment)
      throws RelayConfigException {
    Objects.requireNonNull(file, "file");
    RelayConfig config = new RelayConfig(file.toString());
    YamlFile.read(file, new Variables(environment, config.secrets), config.problems)
        .ifPresent(config::read);
    if (!config.problems.isEmpty()) {
      throw new RelayConfigException(config.problems.lines());
    }
    return config;
  }

  private void read(Section root) {
    logLevel = Values.of(root).choice("log-level", LogLevel.class, LogLevel.INFO);
    http = HttpConfig.read(root.sectionOrEmpty("http"));
    health = HealthConfig.read(root.sectionOrEmpty("health"));
    Map<String, DatabaseConfig> databases = new LinkedHashMap<>();
    named(root, "databases", "url: jdbc:postgresql://…")
        .forEach((name, section) -> databases.put(name, DatabaseConfig.read(name, section)));
    Section brokers = root.sectionOrEmpty("brokers");
    Map<String, Broker> readable = Brokers.read(brokers);
    Map<String, Section> tableSections = named(root, "tables", "database: …");
    tableSections.forEach(
        (name, section) ->
            Optional.ofNullable(TableConfig.read(name, section, databases, databases.keySet()))
                .ifPresent(tables::add));
    refuseSameTableTwice();
    rules =
        new RuleReader(readable, brokers.names(), tableSections.keySet()).read(root).orElse(null);
    root.done();
  }

  private Map<String, Section> named(Section root, String key, String example) {
    Map<String, Section> sections = root.sectionOrEmpty(key).namedSections();
    if (sections.isEmpty()) {
      root.problem(key, "'" + key + "' is missing: a name for each, and below it " + example);
    }
    return sections;
  }

  /** Each would deliver the other's events as well. */
  private void refuseSameTableTwice() {
    Set<List<String>> seen = new LinkedHashSet<>();
    for (TableConfig table : tables) {
      if (!seen.add(List.of(table.database().name(), table.tableName()))) {
        problems.add(
            table.at(),
            "reads " + table.tableName() + " of " + table.database().name() + ", as another does");
      }
    }
  }

  Secrets secrets() {
    return secrets;
  }

  /** For what turns out to be wrong only when it is used. */
  Problems problems() {
    return problems;
  }

  LogLevel logLevel() {
    return logLevel;
  }

  HttpConfig http() {
    return http;
  }

  HealthConfig health() {
    return health;
  }

  List<TableConfig> tables() {
    return List.copyOf(tables);
  }

  /** Each once. */
  Collection<DatabaseConfig> databases() {
    return new LinkedHashSet<>(tables.stream().map(TableConfig::database).toList());
  }

  Rules rules() {
    return rules;
  }

  /** How long closing may take, at most, with some time for clients to end. */
  Duration stopTimeout() {
    return tables.stream()
        .map(TableConfig::drainTimeout)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO)
        .plusSeconds(20);
  }
}
