package io.outbox.cli;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.Failures;
import io.outbox.cli.command.OutboxCommand;
import io.outbox.cli.command.ProcessContext;
import io.outbox.cli.command.TimePoint;
import io.outbox.cli.connect.ConnectionOptions;
import io.outbox.cli.connect.JdbcUrl;
import io.outbox.util.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of an outbox. */
@Command(
    name = "outbox",
    header = "See and steer an outbox.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Every command has --help with examples. The database is named with --url and --user, or by",
      "OUTBOX_URL, OUTBOX_USER, OUTBOX_PASSWORD and OUTBOX_TABLE.",
      "",
      "Exit codes: 0 done, 1 failed, 2 called wrongly, 3 nothing matched, 4 problems found,",
      "130 stopped by Ctrl-C.",
    })
public final class OutboxCli implements ProcessContext.Owner {

  private static final int WIDEST_HELP = 100;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  private final ProcessContext context;

  OutboxCli(ProcessContext context) {
    this.context = context;
  }

  public static void main(String[] words) {
    System.exit(run(ProcessContext.ofThisProcess(), words));
  }

  /** Runs a command and returns the exit code. */
  static int run(ProcessContext context, String... words) {
    String refusal = ConnectionOptions.passwordAmong(words);
    if (refusal != null) {
      context.err().println("outbox: " + refusal);
      context.err().flush();
      return ExitCode.USAGE;
    }
    return commandLine(context, words).execute(words.length == 0 ? new String[] {"--help"} : words);
  }

  /** The commands that may be meant; all of them if there are no words. */
  static CommandLine commandLine(ProcessContext context, String... words) {
    CommandLine commands = new CommandLine(new OutboxCli(context));
    Commands.add(commands, words);
    commands
        .registerConverter(TimePoint.class, TimePoint::parse)
        .registerConverter(Duration.class, TimePoint::duration)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false) // a copy's aggregate type may begin with @@
        .setUsageHelpWidth(WIDEST_HELP)
        .setUsageHelpLongOptionsMaxWidth(28)
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(context.wantsColor() ? Ansi.ON : Ansi.OFF))
        .setOut(new PrintWriter(context.out(), true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(context.err(), true, StandardCharsets.UTF_8))
        .setExitCodeExceptionMapper(OutboxCli::exitCode)
        .setParameterExceptionHandler(OutboxCli::explain)
        .setExecutionExceptionHandler(OutboxCli::report);
    abbreviate(commands);
    commands.getCommandSpec().versionProvider(() -> new String[] {"outbox " + version()});
    return commands;
  }

  private static void abbreviate(CommandLine command) {
    command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
    command.getSubcommands().values().forEach(OutboxCli::abbreviate);
  }

  private static String version() {
    try (InputStream in = OutboxCli.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException("the version of this program cannot be read", e);
    }
  }

  @Override
  public ProcessContext context() {
    return context;
  }

  private static int exitCode(Throwable failure) {
    return failure instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.FAILED;
  }

  /** Called wrongly: says how, and where help is, without repeating what may be a password. */
  private static int explain(ParameterException wrong, String[] words) {
    CommandLine command = wrong.getCommandLine();
    boolean secretPossible =
        wrong instanceof UnmatchedArgumentException && Arrays.asList(words).contains("--password");
    String message =
        secretPossible
            ? "unexpected argument; --password takes no value, it asks on the" + " terminal"
            : Printable.line(JdbcUrl.redact(String.valueOf(wrong.getMessage())));
    command.getErr().println("outbox: " + message);
    command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  private static int report(Exception failure, CommandLine command, ParseResult parsed) {
    command.getErr().println("outbox: " + Failures.message(failure));
    if (command.getCommand() instanceof OutboxCommand outbox && outbox.wantsStackTrace()) {
      Printable.thrown(failure).printStackTrace(command.getErr());
    }
    return exitCode(failure);
  }
}
