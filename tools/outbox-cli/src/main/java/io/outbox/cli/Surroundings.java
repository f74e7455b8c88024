package io.outbox.cli;

import io.outbox.cli.output.SystemTerminal;
import io.outbox.cli.output.Terminal;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/** What a process has around it. */
record Surroundings(
    Map<String, String> environment, Terminal terminal, PrintStream out, PrintStream err) {

  Surroundings {
    environment = Map.copyOf(environment);
    Objects.requireNonNull(terminal, "terminal");
    Objects.requireNonNull(out, "out");
    Objects.requireNonNull(err, "err");
  }

  static Surroundings ofThisProcess() {
    Map<String, String> environment = System.getenv();
    return new Surroundings(
        environment,
        new SystemTerminal(environment),
        stream(FileDescriptor.out),
        stream(FileDescriptor.err));
  }

  /** Terminals and scripts read UTF-8, though Java takes a process without a locale for ASCII. */
  private static PrintStream stream(FileDescriptor descriptor) {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    return new PrintStream(
        new BufferedOutputStream(new FileOutputStream(descriptor)),
        false,
        windows ? Charset.defaultCharset() : StandardCharsets.UTF_8);
  }

  /** As <a href="https://no-color.org">no-color.org</a> has it. */
  boolean wantsColour() {
    return terminal.outIsScreen()
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }
}
