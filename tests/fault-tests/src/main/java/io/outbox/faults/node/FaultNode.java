package io.outbox.faults.node;

import io.outbox.it.ChildJvm;
import io.outbox.it.JournaledNode;
import io.outbox.it.KeyJournal;
import io.outbox.it.KeyOrder;
import io.outbox.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node, seen from the campaign. Not thread-safe. */
public final class FaultNode implements JournaledNode, AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String name;
  private final int place;
  private final Path journal;
  private final ChildJvm jvm;
  private final List<KeyOrder.Pause> pauses = new ArrayList<>();
  private Long ended; // nanos; null while it runs
  private long stopped;

  public FaultNode(String name, int place, Path directory, NodeSettings settings)
      throws IOException {
    this.name = name;
    this.place = place;
    this.journal = Files.createFile(directory.resolve(name + ".journal"));
    this.jvm =
        new ChildJvm(
            NodeMain.class,
            directory.resolve(name + ".log"),
            settings.with("node", name).with("journal", journal).words(),
            settings.environment());
  }

  @Override
  public String node() {
    return name;
  }

  /** Which of the places of the cluster it has. */
  public int place() {
    return place;
  }

  @Override
  public KeyJournal.Content journal() {
    return KeyJournal.read(journal);
  }

  @Override
  public List<KeyOrder.Pause> pauses() {
    return pauses;
  }

  @Override
  public long endedNanos() {
    return ended == null ? System.nanoTime() : ended;
  }

  public boolean isRunning() {
    return ended == null;
  }

  /** Whether it died though nobody killed it. */
  public boolean hasDied() {
    return ended == null && !jvm.isAlive();
  }

  /** Waits until it has begun to write or deliver. */
  public void awaitWork() {
    Await.until(
        () -> name + " to begin its work; its log:\n" + jvm.output(),
        PATIENCE,
        () -> journal.toFile().length() > 0 || hasDied());
  }

  public void kill() throws InterruptedException {
    jvm.kill();
    ended = System.nanoTime();
  }

  public void pause() throws IOException, InterruptedException {
    jvm.pause();
    stopped = System.nanoTime();
  }

  public void resume() throws IOException, InterruptedException {
    pauses.add(new KeyOrder.Pause(name, stopped, System.nanoTime()));
    jvm.resume();
  }

  /** Lets it write no more; returns when all it has written has an end. */
  public void stopWriting() throws IOException {
    if (hasDied()) {
      return; // the proof says so
    }
    jvm.tell();
    Await.until(
        () -> name + " to stop writing; its log:\n" + tail(),
        PATIENCE,
        () -> jvm.output().contains(NodeMain.WRITTEN) || hasDied());
  }

  /** Lets it close its outbox and end. */
  public void end() throws IOException, InterruptedException {
    jvm.end();
    ended = System.nanoTime();
  }

  public String tail() {
    List<String> lines = jvm.output().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
  }

  @Override
  public void close() {
    jvm.close();
  }
}
