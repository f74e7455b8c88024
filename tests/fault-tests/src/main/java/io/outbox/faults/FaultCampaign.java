package io.outbox.faults;

import io.outbox.faults.node.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs scenarios one after the other, and prints a table of what came of them. */
public final class FaultCampaign {

  private static final int SHOWN = 20;
  private static final Logger OUTBOX = Logger.getLogger("io.outbox");

  private final CampaignOptions options;
  private final Path results;
  private final ResultTable table = new ResultTable();
  private boolean failed;

  public FaultCampaign(CampaignOptions options, Path results) {
    this.options = options;
    this.results = results;
  }

  public static void main(String[] args) throws Exception {
    OUTBOX.setLevel(Level.WARNING); // of this process: the nodes have logs of their own
    CampaignOptions options;
    try {
      options = CampaignOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("outbox faults: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      System.out.print(CampaignOptions.USAGE);
      ScenarioType.ALL.forEach(t -> System.out.printf("  %-20s %s%n", t.name(), t.says()));
      return;
    }
    Path results = Path.of(System.getProperty("outbox.faults.results", "target/faults"));
    System.exit(new FaultCampaign(options, results).run() ? 0 : 1);
  }

  /** Returns whether all is well. */
  public boolean run() throws Exception {
    long begun = System.nanoTime();
    Files.createDirectories(results);
    for (ScenarioType type : options.scenarios()) {
      for (Mode mode : options.modes()) {
        run(type, mode);
      }
    }
    System.out.println();
    System.out.print(table);
    System.out.printf(
        "%nTook %d s in all.%n", Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    return !failed;
  }

  private void run(ScenarioType type, Mode mode) throws IOException {
    String missing = type.missing();
    if (!missing.isEmpty()) {
      failed |= options.require();
      table.addNotRun(type.name(), mode, missing);
      return;
    }
    long seed = ThreadLocalRandom.current().nextLong();
    Path directory = Files.createTempDirectory(results, type.name() + "-" + mode + "-");
    System.out.printf("%s, %s, seed %d, in %s%n", type.name(), mode, seed, directory);
    try {
      Result result = new ScenarioRun(type, mode, options.perRun(), directory).run(seed);
      table.add(result);
      failed |= !result.verdict().isGood();
      report(result, directory);
    } catch (Exception e) {
      failed = true;
      table.addNotRun(type.name(), mode, e.toString().lines().findFirst().orElse(""));
      e.printStackTrace();
    }
    Files.writeString(results.resolve("results.md"), table.toString());
  }

  private static void report(Result result, Path directory) throws IOException {
    List<String> complaints = result.verdict().complaints();
    System.out.printf(
        "  %s; %d events, duplicates %s, recovery %s, took %d s%n",
        result.faultCounts(),
        result.verdict().events,
        result.duplicates(),
        result.recovery(),
        result.took().toSeconds());
    complaints.stream().limit(SHOWN).forEach(each -> System.out.println("  " + each));
    if (complaints.size() > SHOWN) {
      System.out.printf("  and %d more%n", complaints.size() - SHOWN);
    }
    Files.write(directory.resolve("complaints.txt"), complaints);
  }
}
