package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.relay.yaml.Secrets;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** R26: whatever a client of a broker logs of an event, it cannot forge a line. */
class RelayLogTest {

  @Test
  void R26_messagesAndExceptionsOfOthersAreEscaped() {
    Logger root = Logger.getLogger("");
    Handler[] before = root.getHandlers();
    Level level = root.getLevel();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RelayLog log =
        RelayLog.install(
            LogLevel.INFO, new Secrets(), new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      LogRecord message = new LogRecord(Level.WARNING, "topic a\nb\u001b[2J\u202ec");
      message.setThrown(new IllegalStateException("bad\r\nINFO forged", new Exception("\u0007")));
      log.publish(message);
    } finally {
      root.removeHandler(log);
      for (Handler handler : before) {
        root.addHandler(handler);
      }
      root.setLevel(level);
    }

    String text = bytes.toString(StandardCharsets.UTF_8);
    assertThat(text)
        .contains("topic a\\nb\\u001b[2J\\u202ec")
        .contains("IllegalStateException: bad\\r\\nINFO forged")
        .doesNotContain("\u001b", "\u202e", "\u0007", "\r");
    assertThat(text.lines()).noneMatch(line -> line.startsWith("INFO"));
  }
}
