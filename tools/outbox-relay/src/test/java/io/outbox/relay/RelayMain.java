package io.outbox.relay;

import java.io.PrintWriter;
import java.nio.file.Path;

/** A process as the command line makes it. */
final class RelayMain {

  private RelayMain() {}

  public static void main(String[] arguments) {
    boolean dryRun = arguments.length > 1 && arguments[1].equals("--dry-run");
    System.exit(Relay.run(Path.of(arguments[0]), dryRun, new PrintWriter(System.out, true)));
  }
}
