package io.outbox.faults;

import io.outbox.faults.node.Mode;
import io.outbox.faults.node.PreviousVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What was asked for on the command line.
 *
 * @param perRun how long faults are done in each scenario and mode
 * @param require whether a scenario that cannot be run is a failure
 */
public record CampaignOptions(
    List<ScenarioType> scenarios,
    List<Mode> modes,
    Duration perRun,
    boolean require,
    boolean help) {

  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration NORMAL = Duration.ofMinutes(1);

  public static final String USAGE =
      """
      Usage: ./outbox faults [scenario...] [--except S] [--minutes N | --short] [--mode M]
                             [--previous D] [--require]

      Runs three nodes with real faults on its own servers, proves from their journals that nothing
      was lost, nothing rolled back was delivered and no order was broken, and prints a table.

        --minutes N  how long the faults go on, for each scenario and mode; 1 if not said
        --short      5 seconds each: one fault or a few
        --except S   all scenarios but this one; can be said again
        --mode M     only multiNode or orderedByKey; both if not said
        --previous D where an earlier version is compiled, for the scenario rolling-version
        --require    fail if a scenario cannot be run because a program is missing

      Exit code: 0 all is well, 1 something was found or is missing, 2 the command is wrong.

      Scenarios; all of them if none is said:
      """;

  public static CampaignOptions parse(String... args) {
    List<ScenarioType> scenarios = new ArrayList<>();
    List<ScenarioType> except = new ArrayList<>();
    List<Mode> modes = new ArrayList<>();
    Duration perRun = NORMAL;
    boolean require = false;
    boolean help = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--minutes" -> perRun = minutes(value(args, ++i));
        case "--short" -> perRun = SHORT;
        case "--except" -> except.add(ScenarioType.named(value(args, ++i)));
        case "--mode" -> modes.add(Mode.of(value(args, ++i)));
        case "--previous" -> PreviousVersion.isIn(value(args, ++i));
        case "--require" -> require = true;
        case "--help", "-h" -> help = true;
        default -> {
          if (args[i].startsWith("-")) {
            throw new IllegalArgumentException("unknown option " + args[i]);
          }
          scenarios.add(ScenarioType.named(args[i]));
        }
      }
    }
    List<ScenarioType> asked = scenarios.isEmpty() ? ScenarioType.ALL : scenarios;
    return new CampaignOptions(
        asked.stream().filter(type -> !except.contains(type)).toList(),
        modes.isEmpty() ? List.of(Mode.values()) : List.copyOf(modes),
        perRun,
        require,
        help);
  }

  private static String value(String[] args, int i) {
    if (i >= args.length) {
      throw new IllegalArgumentException(args[i - 1] + " needs a value");
    }
    return args[i];
  }

  private static Duration minutes(String text) {
    try {
      double minutes = Double.parseDouble(text);
      if (minutes > 0 && minutes <= 24 * 60) {
        return Duration.ofMillis((long) (minutes * 60_000));
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException("--minutes " + text + ": a number up to 1440 is needed");
  }
}
