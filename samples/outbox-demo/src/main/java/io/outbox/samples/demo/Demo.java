package io.outbox.samples.demo;

import io.outbox.model.EventStatus;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Tells what an outbox does, one chapter after the other, and fails if one of them is not true. */
public final class Demo {

  /** The library logs what the story tells itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private Demo() {}

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    try {
      tell(System.out, Boolean.getBoolean("outbox.colour"));
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      if (!(e instanceof BrokenPromiseException)) {
        e.printStackTrace();
      }
      System.exit(1);
    }
  }

  /** Tells the whole story, and returns how many events ended up in which state. */
  static Map<EventStatus, Integer> tell(PrintStream out, boolean colour) throws Exception {
    Narrator narrator = new Narrator(out, colour);
    Latencies latencies = new Latencies();
    RolledBack rolledBack = new RolledBack();
    List<Chapter> chapters =
        List.of(
            new DeliveredAtOnce(latencies),
            rolledBack,
            new Retried(),
            new Delayed(),
            new DeadAndReplayed(),
            new Backlog());
    try (Stage stage = new Stage(chapters)) {
      narrator.heading("A small shop with an outbox, on plain JDBC and an H2 in memory");
      narrator.say("Default settings, except intervalMs(1000) for your patience.");
      for (Chapter chapter : chapters) {
        narrator.chapter(chapter.title());
        chapter.tell(stage, narrator);
      }
      stage.awaitNothingPending();
      rolledBack.checkAgain();
      Map<EventStatus, Integer> counts = stage.countByStatus();
      Promise.that(
          counts.keySet().equals(Set.of(EventStatus.DONE)),
          "every event ends DONE, but the table has " + counts);
      narrator.heading("In the end");
      new Summary(counts, latencies).print(narrator);
      return counts;
    }
  }
}
