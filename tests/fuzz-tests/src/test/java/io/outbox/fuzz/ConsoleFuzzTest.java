package io.outbox.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
import io.outbox.console.PayloadMask;
import io.outbox.console.internal.access.Anonymous;
import io.outbox.console.internal.access.Networks;
import io.outbox.console.internal.api.ConsoleApplication;
import io.outbox.console.internal.api.ConsoleOutboxes;
import io.outbox.console.internal.api.Environment;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.http.SameOrigin;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.operate.OutboxOperator;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import org.h2.jdbcx.JdbcConnectionPool;

/** The console answers what a request asks, or says what is wrong with it: it never fails. */
class ConsoleFuzzTest {

  private static final ConsoleApplication CONSOLE = console();

  private static ConsoleApplication console() {
    JdbcConnectionPool pool =
        JdbcConnectionPool.create("jdbc:h2:mem:console;DB_CLOSE_DELAY=-1", "sa", "");
    OutboxSchema.create(pool);
    OutboxOperator operator = OutboxOperator.of(pool::getConnection, new H2OutboxStore());
    return new ConsoleApplication(
        new ConsoleOutboxes(Map.of("orders", operator), Map.of(), Duration.ofHours(1)),
        PayloadMask.NONE,
        new Anonymous(new ConsoleUser("fuzzer", ConsoleRole.OPERATOR), Networks.NONE),
        SameOrigin.ofAnyHost(),
        Environment.NONE);
  }

  /** The first line is method, path below the outbox and query; the rest is the body. */
  @FuzzTest
  void answersWithoutFailing(byte[] input) {
    String text = FuzzInput.text(input);
    int end = text.indexOf('\n');
    String line = end < 0 ? text : text.substring(0, end);
    int space = Math.max(0, line.indexOf(' '));
    int question = line.indexOf('?', space);
    String what = line.substring(space, question < 0 ? line.length() : question).strip();
    if (what.equals("live")) {
      return; // an answer that lasts
    }
    Response response =
        CONSOLE.answer(
            new Asked(
                line.substring(0, space),
                "/api/outboxes/orders/" + what,
                question < 0 ? null : line.substring(question + 1),
                text.substring(end + 1)));

    // 409: the queue of jobs is full
    assertThat(response.status()).as(line).isLessThan(500);
  }

  private record Asked(String method, String path, String rawQuery, String content)
      implements Request {

    @Override
    public String header(String name) {
      return switch (name) {
        case "Content-Type" -> "application/json";
        case "Host" -> "localhost";
        case SameOrigin.HEADER -> "1";
        default -> null;
      };
    }

    @Override
    public String remoteAddress() {
      return "127.0.0.1";
    }

    @Override
    public InputStream body() {
      return new ByteArrayInputStream(content.getBytes(UTF_8));
    }
  }
}
