package io.outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outbox.cli.command.ExitCode;
import io.outbox.cli.command.ProcessContext;
import io.outbox.cli.output.Terminal;
import io.outbox.fuzz.FuzzInput;
import io.outbox.jdbc.OutboxSchema;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import picocli.CommandLine;

/** Any words for a filter are understood, or refused as wrong words: nothing fails later. */
class CliFilterFuzzTest {

  private static final String URL = "jdbc:h2:mem:words;DB_CLOSE_DELAY=-1";

  /** They choose another database, or another file, and are no filter. */
  private static final List<String> ELSEWHERE =
      List.of("--url", "--user", "--password", "--table", "--driver", "@");

  private static final ByteArrayOutputStream SAID = new ByteArrayOutputStream();

  /** Made once: that takes longer than to run it. */
  private static final CommandLine COMMANDS = command();

  private static CommandLine command() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL(URL);
    dataSource.setUser("sa");
    OutboxSchema.create(dataSource);
    PrintStream stream = new PrintStream(SAID, true, UTF_8);
    ProcessContext context =
        new ProcessContext(
            Map.of("OUTBOX_URL", URL, "OUTBOX_USER", "sa"), new Pipe(), stream, stream);
    return OutboxCli.commandLine(context, "list");
  }

  /** Each line is a word. */
  @FuzzTest
  void wordsAreUnderstoodOrRefused(byte[] input) {
    String[] words = FuzzInput.text(input).split("\n");
    for (String word : words) {
      if (ELSEWHERE.stream().anyMatch(word::startsWith)) {
        return;
      }
    }
    SAID.reset();

    int code =
        COMMANDS.execute(Stream.concat(Stream.of("list"), Stream.of(words)).toArray(String[]::new));

    assertThat(code)
        .as(() -> SAID.toString(UTF_8))
        .isIn(ExitCode.OK, ExitCode.USAGE, ExitCode.NOTHING_MATCHED);
    assertThat(SAID.toString(UTF_8)).isNotBlank();
  }

  private static final class Pipe implements Terminal {
    @Override
    public boolean outIsScreen() {
      return false;
    }

    @Override
    public boolean errIsScreen() {
      return false;
    }

    @Override
    public boolean canAsk() {
      return false;
    }

    @Override
    public int width() {
      return 80;
    }

    @Override
    public String ask(String question) {
      return null;
    }

    @Override
    public char[] askSecret(String question) {
      return null;
    }
  }
}
