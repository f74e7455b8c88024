package io.outbox.benchmarks;

/**
 * What to run.
 *
 * @param events how many events wait in the drain
 * @param rounds how often each contestant drains, after a warm-up
 * @param seconds how long latencies are measured
 */
record BenchmarkOptions(int events, int rounds, int seconds) {

  static final BenchmarkOptions DEFAULT = new BenchmarkOptions(50_000, 5, 30);
  static final BenchmarkOptions QUICK = new BenchmarkOptions(20_000, 3, 10);

  static BenchmarkOptions parse(String... args) {
    BenchmarkOptions options = DEFAULT;
    for (int i = 0; i < args.length; i++) {
      options =
          switch (args[i]) {
            case "--quick" -> QUICK;
            case "--events" ->
                new BenchmarkOptions(number(args, ++i), options.rounds, options.seconds);
            case "--rounds" ->
                new BenchmarkOptions(options.events, number(args, ++i), options.seconds);
            case "--seconds" ->
                new BenchmarkOptions(options.events, options.rounds, number(args, ++i));
            default ->
                throw new IllegalArgumentException(
                    "unknown option "
                        + args[i]
                        + "; known are --quick, --events N, --rounds N, --seconds N");
          };
    }
    return options;
  }

  private static int number(String[] args, int at) {
    if (at >= args.length || !args[at].matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(args[at - 1] + " needs a number greater than zero");
    }
    return Integer.parseInt(args[at]);
  }
}
