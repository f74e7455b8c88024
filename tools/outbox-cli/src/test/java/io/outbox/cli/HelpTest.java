package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.ProcessContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Help, and the places that repeat it: docs/cli.md, which {@code -Doutbox.docs.update=true} brings
 * up to date, and the script ./outbox.
 */
class HelpTest {

  static final Path ROOT =
      Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent().getParent();

  private static final Pattern HELP_BLOCK =
      Pattern.compile("(?s)<!-- help: ([a-z -]*) -->\n```\n(.*?)```\n");

  private final CliRun cli = new CliRun();

  private static CommandLine all() {
    return OutboxCli.commandLine(
        new ProcessContext(java.util.Map.of(), FakeTerminal.pipe(), System.out, System.err));
  }

  static Stream<String> commands() {
    List<String> names = new ArrayList<>();
    collect(all(), "", names);
    return names.stream();
  }

  private static void collect(CommandLine parent, String prefix, List<String> names) {
    parent
        .getSubcommands()
        .forEach(
            (name, command) -> {
              names.add(prefix + name);
              collect(command, prefix + name + " ", names);
            });
  }

  private String help(String command) {
    CliRun.Result result = cli.run((command + " --help").strip().split(" "));
    assertThat(result.exitCode()).isZero();
    return result.out();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandHasHelpWithExamples(String command) {
    String help = help(command);

    assertThat(help).contains("Usage: outbox " + command).contains("Examples:\n  ");
    assertThat(help.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }

  @Test
  void itSaysItsVersion() {
    CliRun.Result result = cli.run("--version");

    assertThat(result.out()).matches("outbox \\d+\\.\\d+\\.\\d+(-\\w+)?\\s*");
  }

  @Test
  void withoutWordsItHelps() {
    CliRun.Result result = cli.run();

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo(help(""));
    assertThat(commands().filter(name -> !name.contains(" ")))
        .allSatisfy(name -> assertThat(result.out()).containsPattern("\n  " + name + " +\\S"));
  }

  @Test
  void aMistypedCommandIsAUsageError() {
    CliRun.Result result = cli.run("statsu");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("statsu").contains("outbox --help");
    assertThat(cli.run("list", "--nonsense").err()).contains("--nonsense").contains("list --help");
  }

  @Test
  void thePageShowsTheHelpOfEveryCommand() throws IOException {
    Path page = ROOT.resolve("docs/cli.md");
    String text = Files.readString(page);
    Matcher block = HELP_BLOCK.matcher(text);
    List<String> shown = new ArrayList<>();
    String right =
        block.replaceAll(
            match -> {
              shown.add(match.group(1));
              return Matcher.quoteReplacement(
                  "<!-- help: %s -->\n```\n%s```\n"
                      .formatted(match.group(1), help(match.group(1))));
            });
    if (Boolean.getBoolean("outbox.docs.update")) {
      Files.writeString(page, right);
    } else {
      assertThat(text).isEqualTo(right);
    }
    assertThat(shown).containsExactlyInAnyOrderElementsOf(commands().toList());
  }

  @Test
  void theScriptKnowsEveryCommand() throws IOException {
    String script = Files.readString(ROOT.resolve("outbox"));
    Matcher handedOn = Pattern.compile("(?m)^cli_commands=\" (.*) \"$").matcher(script);
    assertThat(handedOn.find()).isTrue();
    // these it does itself, without what the jar needs
    Stream<String> ours =
        commands()
            .filter(name -> !name.contains(" "))
            .filter(name -> !List.of("demo", "bench").contains(name));
    assertThat(handedOn.group(1).split(" ")).containsExactlyInAnyOrder(ours.toArray(String[]::new));
    String usage = script.substring(0, script.indexOf("command_help()"));
    assertThat(handedOn.group(1).split(" "))
        .allSatisfy(
            name -> assertThat(usage).containsPattern("(?m)^  ([a-z, ]* )?" + name + "\\b"));
  }

  @Test
  void completionIsAScriptThatKnowsCommandsAndOptions() {
    CliRun.Result bash = cli.run("completion", "bash");

    assertThat(bash.exitCode()).isZero();
    assertThat(bash.out())
        .startsWith("#!/usr/bin/env bash")
        .contains("reschedule")
        .contains("--min-attempts");
    assertThat(cli.run("completion", "zsh").exitCode()).isZero();
    assertThat(cli.run("completion", "fish").exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void benchSaysWhereItIs() {
    CliRun.Result result = cli.run("bench", "--help");
    assertThat(result.out()).contains("./outbox bench");
    assertThat(cli.run("bench").err()).contains("./outbox bench");
  }
}
