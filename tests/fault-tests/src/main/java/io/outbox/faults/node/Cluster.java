package io.outbox.faults.node;

import io.outbox.faults.scenario.Scenario;
import io.outbox.it.JournaledNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The nodes of a run: three places, each with one process at a time. Not thread-safe. */
public final class Cluster implements AutoCloseable {

  public static final int PLACES = 3;
  public static final int KEYS = 100;

  private final Path directory;
  private final Random random;
  private final Mode mode;
  private final Scenario scenario;
  private final List<FaultNode> nodes = new ArrayList<>();

  public Cluster(Path directory, Random random, Mode mode, Scenario scenario) {
    this.directory = directory;
    this.random = random;
    this.mode = mode;
    this.scenario = scenario;
  }

  public Random random() {
    return random;
  }

  public Mode mode() {
    return mode;
  }

  public void start() throws IOException {
    for (int place = 0; place < PLACES; place++) {
      startIn(place);
    }
    running().forEach(FaultNode::awaitWork);
  }

  public FaultNode startIn(int place) throws IOException {
    NodeSettings defaults =
        NodeSettings.of(mode).with("keys", KEYS).with("seed", random.nextLong());
    NodeSettings settings = scenario.settings(defaults, place);
    String name = "node-%d-%d".formatted(place, nodes.size());
    FaultNode node =
        new FaultNode(
            name,
            place,
            directory,
            settings.with("businessUrl", BusinessUrl.of(settings.get("url"))));
    nodes.add(node);
    return node;
  }

  public List<FaultNode> running() {
    return nodes.stream().filter(FaultNode::isRunning).toList();
  }

  /** One of those that run. */
  public FaultNode any() {
    List<FaultNode> running = running();
    return running.get(random.nextInt(running.size()));
  }

  /** A moment longer than the shorter and shorter than the longer one. */
  public void passTime(Duration shorter, Duration longer) throws InterruptedException {
    long span = longer.minus(shorter).toMillis();
    TimeUnit.MILLISECONDS.sleep(shorter.toMillis() + (long) (random.nextDouble() * span));
  }

  public void killAll() throws InterruptedException {
    for (FaultNode node : running()) {
      node.kill();
    }
  }

  /** All that ever ran. */
  public List<JournaledNode> journaled() {
    return List.copyOf(nodes);
  }

  /** Those that died though nobody killed them, with the end of their logs. */
  public List<String> died() {
    return nodes.stream()
        .filter(FaultNode::hasDied)
        .map(node -> node.node() + " ended by itself:\n" + node.tail())
        .toList();
  }

  @Override
  public void close() {
    nodes.forEach(FaultNode::close);
  }
}
