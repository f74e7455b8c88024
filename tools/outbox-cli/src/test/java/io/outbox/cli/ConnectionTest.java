package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.cli.command.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionTest {

  private static final String SECRET = "sesame-open";

  @TempDir private Path directory;

  private final CliRun cli = new CliRun();

  @Test
  void aPasswordAmongTheWordsIsRefusedAndNotRepeated() {
    CliRun.Result result = cli.run("status", "--url", "jdbc:h2:mem:x", "--password=" + SECRET);

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("OUTBOX_PASSWORD").doesNotContain(SECRET);
  }

  @Test
  void aWordAfterPasswordIsNotRepeatedEither() {
    CliRun.Result result = cli.run("status", "--url", "jdbc:h2:mem:x", "--password", SECRET);

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("--password").doesNotContain(SECRET);
  }

  @Test
  void anAddressWithAPasswordIsRefusedAndNotRepeated() {
    String url = "jdbc:postgresql://localhost:1/shop?user=a&password=" + SECRET;

    CliRun.Result said = cli.run("status", "--url", url);
    CliRun.Result set = cli.with("OUTBOX_URL", url).run("status");

    assertThat(said.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(said.err()).contains("password=***").doesNotContain(SECRET);
    assertThat(set.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(set.err()).contains("OUTBOX_URL").doesNotContain(SECRET);
  }

  @Test
  void withoutAnAddressItSaysHowToNameOne() {
    CliRun.Result result = cli.run("list");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err())
        .contains("--url")
        .contains("OUTBOX_URL")
        .contains("outbox list --help");
  }

  @Test
  void aServerThatIsNotThereIsAFailure() {
    CliRun.Result result =
        cli.with("OUTBOX_PASSWORD", SECRET)
            .run("status", "--url", "jdbc:postgresql://127.0.0.1:1/shop", "--user", "anna");

    assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err())
        .contains("cannot connect to jdbc:postgresql://127.0.0.1:1/shop as anna")
        .doesNotContain(SECRET)
        .doesNotContain("\tat ");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void anUnknownDatabaseIsAFailureThatNamesTheDriversThereAre() {
    CliRun.Result result = cli.run("status", "--url", "jdbc:oracle:thin:@db:1521/shop");

    assertThat(result.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err()).contains("jdbc:postgresql:").contains("--driver");
  }

  @Test
  void lookingDoesNotCreateADatabaseButSchemaCreateDoes() {
    String url = "jdbc:h2:" + directory.resolve("shop");

    CliRun.Result looked = cli.run("status", "--url", url, "--user", "sa");
    assertThat(looked.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(directory).isEmptyDirectory();

    CliRun.Result created = cli.run("schema", "create", "--url", url, "--user", "sa");
    assertThat(created.exitCode()).as(created.toString()).isZero();
    assertThat(cli.run("status", "--url", url, "--user", "sa").exitCode()).isZero();
  }

  @Test
  void aPasswordComesFromAFileOrIsAskedFor() throws Exception {
    String url = "jdbc:h2:" + directory.resolve("shop");
    Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n");
    String[] create = {
      "schema", "create", "--url", url, "--user", "anna", "--password-file", file.toString()
    };
    assertThat(cli.run(create).exitCode()).isZero();

    String[] status = {"status", "--url", url, "--user", "anna", "--password"};
    FakeTerminal terminal = FakeTerminal.screen(80, SECRET);
    assertThat(new CliRun().at(terminal).run(status).exitCode()).isZero();
    assertThat(terminal.questions).containsExactly("Password: ");
    assertThat(new CliRun().at(FakeTerminal.screen(80, "wrong")).run(status).exitCode())
        .isEqualTo(ExitCode.FAILED);
    assertThat(cli.run(status).exitCode()).as("nobody to ask").isEqualTo(ExitCode.USAGE);
    assertThat(
            new CliRun()
                .with("OUTBOX_PASSWORD", SECRET)
                .run("status", "--url", url, "--user", "anna")
                .exitCode())
        .isZero();
  }

  @Test
  void aPasswordFileThatIsNotThereIsAUsageError() {
    CliRun.Result result =
        cli.run("status", "--url", "jdbc:h2:mem:x", "--password-file", "/no/such/file");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("/no/such/file");
  }

  @Test
  void aDriverOfTheUsersOwnIsUsed() {
    Path jar =
        Path.of(org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    String url = "jdbc:h2:" + directory.resolve("own");

    CliRun.Result result =
        cli.run("schema", "create", "--url", url, "--user", "sa", "--driver", jar.toString());

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(cli.run("status", "--url", url, "--driver", "/no/such.jar").err())
        .contains("/no/such.jar cannot be read");
  }

  @Test
  void aBadTableNameIsAUsageError() {
    CliRun.Result result =
        cli.run("list", "--url", "jdbc:h2:mem:names", "--table", "a; DROP TABLE b");

    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("is not a table name");
  }
}
