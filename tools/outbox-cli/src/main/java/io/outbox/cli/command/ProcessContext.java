package io.outbox.cli.command;

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

/** The environment, the terminal and the streams of this process. */
public record ProcessContext(
    Map<String, String> environment, Terminal terminal, PrintStream out, PrintStream err) {

  public ProcessContext {
    environment = Map.copyOf(environment);
    Objects.requireNonNull(terminal, "terminal");
    Objects.requireNonNull(out, "out");
    Objects.requireNonNull(err, "err");
  }

  public static ProcessContext ofThisProcess() {
    Map<String, String> environment = System.getenv();
    return new ProcessContext(
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
  public boolean wantsColor() {
    return terminal.outIsScreen()
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }

  /** Of all commands. */
  public interface Owner {
    ProcessContext context();
  }
}
