package io.outbox.samples.demo;

import io.outbox.console.OutboxConsole;
import io.outbox.model.EventStatus;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Tells what an outbox does, one chapter after the other, and fails if one of them is not true. */
public final class Demo {

  /** The library logs what the story tells itself. Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final String USAGE =
      """
      Usage: ./outbox demo [--console [--port PORT]]

      Tells what an outbox does. With --console: a shop with live data, and the web console that
      shows it, on any free port or the one you name, until Ctrl-C.\
      """;

  private Demo() {}

  public static void main(String[] args) {
    LIBRARY_LOG.setLevel(Level.OFF);
    try {
      if (args.length == 0) {
        tell(System.out, Boolean.getBoolean("outbox.color"));
      } else {
        int port = consolePort(args);
        if (port < 0) {
          System.err.println(USAGE);
          System.exit(List.of(args).contains("--help") ? 0 : 2);
        }
        showConsole(port, System.out);
      }
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      if (!(e instanceof BrokenPromiseException)) {
        e.printStackTrace();
      }
      System.exit(1);
    }
  }

  /** The port that is asked for, 0 for any that is free; -1 if something else is asked for. */
  static int consolePort(String... args) {
    boolean plain = args.length == 1 && args[0].equals("--console");
    boolean withPort =
        args.length == 3
            && args[0].equals("--console")
            && args[1].equals("--port")
            && args[2].matches("\\d{1,5}");
    return plain ? 0 : withPort ? Integer.parseInt(args[2]) : -1;
  }

  /** Until the process is asked to end. */
  private static void showConsole(int port, PrintStream out) throws Exception {
    try (LiveShop shop = new LiveShop();
        OutboxConsole console = console(shop, port).start()) {
      out.println("A shop takes orders, and its outbox delivers them. See and steer it at");
      out.println();
      out.println("   " + console.url());
      out.println();
      out.println("Ctrl-C closes both.");
      new CountDownLatch(1).await(); // for a signal, which ends the process
    }
  }

  static OutboxConsole console(LiveShop shop, int port) {
    return OutboxConsole.builder()
        .operator("shop", shop.operator())
        .environment("demo", "blue")
        .port(port)
        .build();
  }

  /** Tells the whole story, and returns how many events ended up in which state. */
  static Map<EventStatus, Integer> tell(PrintStream out, boolean color) throws Exception {
    Narrator narrator = new Narrator(out, color);
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
