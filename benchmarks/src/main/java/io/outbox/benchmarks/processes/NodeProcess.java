package io.outbox.benchmarks.processes;

import io.outbox.benchmarks.contestant.Contestant;
import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.contestant.Setup;
import io.outbox.testdb.TestDatabase;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The main class of a node: it reads commands, a line each, and answers each with a line. In
 * between it says how many events it has delivered.
 */
public final class NodeProcess {

  static final String OPEN = "open ";
  static final String GO = "go";
  static final String STOP = "stop";
  static final String READY = "ready";
  static final String COUNT = "count ";
  static final String DELIVERED = "delivered ";

  private static final int NEWS_MILLIS = 5;
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  private final Entry entry;
  private final TestDatabase kind;
  private final String user;
  private final BitSet numbers = new BitSet();
  private final AtomicInteger count = new AtomicInteger();
  private Contestant contestant;
  private long compiledBefore;

  private NodeProcess(String[] args) {
    entry = Entry.valueOf(args[0]);
    kind = TestDatabase.valueOf(args[1]);
    user = args[2];
  }

  /** Contestant, kind of database, user. Ends with its input. */
  public static void main(String[] args) throws Exception {
    NodeProcess node = new NodeProcess(args);
    Thread news = new Thread(node::tell, "news");
    news.setDaemon(true);
    news.start();
    try (BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        node.run(line);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private void run(String command) throws Exception {
    if (command.startsWith(OPEN)) {
      String url = command.substring(OPEN.length());
      contestant = entry.on(new Setup(kind, url, user, "", 0, 0, null));
      say(READY);
    } else if (command.equals(GO)) {
      contestant.start(this::arrived);
      say(READY);
    } else if (command.equals(STOP)) {
      contestant.close();
      long compiled = COMPILERS.getTotalCompilationTime();
      say(DELIVERED + count.getAndSet(0) + " " + takeNumbers() + " " + (compiled - compiledBefore));
      compiledBefore = compiled;
    }
  }

  private void arrived(int number) {
    synchronized (numbers) {
      numbers.set(number);
    }
    count.incrementAndGet();
  }

  private String takeNumbers() {
    synchronized (numbers) {
      String all = Base64.getEncoder().encodeToString(numbers.toByteArray());
      numbers.clear();
      return all;
    }
  }

  private void tell() {
    int told = 0;
    while (true) {
      int now = count.get();
      if (now != told) {
        say(COUNT + now);
        told = now;
      }
      try {
        Thread.sleep(NEWS_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
