package io.outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R26: text that others wrote reaches no log with control characters in it. */
class PrintableLoggerTest {

  private static final String EVIL = "a\nb\rc\u001b[31md\u202ee\u2028f";
  private static final String ESCAPED = "a\\nb\\rc\\u001b[31md\\u202ee\\u2028f";

  private final List<LogRecord> records = new ArrayList<>();
  private final Logger jul = Logger.getLogger(PrintableLoggerTest.class.getName());
  private final System.Logger logger = PrintableLogger.of(PrintableLoggerTest.class);
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord logged) {
          // a record finds its caller when it is asked for the first time
          logged.getSourceClassName();
          records.add(logged);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    jul.setUseParentHandlers(false);
    jul.addHandler(handler);
  }

  @AfterEach
  void stop() {
    jul.removeHandler(handler);
    jul.setUseParentHandlers(true);
  }

  @Test
  void R26_everyWayToLogIsEscaped() {
    Exception thrown = new Exception(EVIL);
    logger.log(Level.WARNING, EVIL);
    logger.log(Level.WARNING, () -> EVIL);
    logger.log(Level.WARNING, new StringBuilder(EVIL));
    logger.log(Level.WARNING, EVIL, thrown);
    logger.log(Level.WARNING, () -> EVIL, thrown);
    logger.log(Level.WARNING, EVIL + "{0}", EVIL);
    logger.log(Level.WARNING, (ResourceBundle) null, EVIL, thrown);
    logger.log(Level.WARNING, (ResourceBundle) null, EVIL + "{0}", EVIL);

    assertThat(records).hasSize(8);
    for (LogRecord logged : records) {
      assertThat(logged.getMessage()).startsWith(ESCAPED);
      if (logged.getParameters() != null) {
        assertThat(logged.getParameters()).containsExactly(ESCAPED);
      }
      if (logged.getThrown() != null) {
        assertThat(trace(logged.getThrown())).startsWith("java.lang.Exception: " + ESCAPED);
      }
      assertThat(logged.getSourceClassName()).isEqualTo(PrintableLoggerTest.class.getName());
    }
  }

  @Test
  void anExceptionKeepsItsTraceItsCauseAndItsSuppressedOnes() {
    Exception inner = new IllegalArgumentException(EVIL);
    Exception outer = new IllegalStateException("fine", inner);
    outer.addSuppressed(new Exception(EVIL));
    logger.log(Level.ERROR, "x", outer);

    String trace = trace(records.get(0).getThrown());
    assertThat(trace)
        .startsWith("java.lang.IllegalStateException: fine")
        .contains("Caused by: java.lang.IllegalArgumentException: " + ESCAPED)
        .contains("Suppressed: java.lang.Exception: " + ESCAPED)
        .contains("PrintableLoggerTest.java:")
        .doesNotContain("\u001b", "\u202e");
  }

  @Test
  void anExceptionWithNothingToHideIsLoggedItself() {
    Exception outer = new IllegalStateException("fine", new Exception("fine, too"));
    logger.log(Level.ERROR, "x", outer);

    assertThat(records.get(0).getThrown()).isSameAs(outer);
  }

  @Test
  void circlesEnd() {
    Exception first = new Exception(EVIL);
    Exception second = new Exception("second", first);
    first.initCause(second);
    logger.log(Level.ERROR, "x", first);

    assertThat(trace(records.get(0).getThrown())).contains(ESCAPED, "second");
  }

  @Test
  void nothingIsBuiltForALevelThatIsOff() {
    logger.log(
        Level.TRACE,
        () -> {
          throw new AssertionError("nobody asked");
        });

    assertThat(records).isEmpty();
    assertThat(logger.isLoggable(Level.TRACE)).isFalse();
    assertThat(logger.getName()).isEqualTo(PrintableLoggerTest.class.getName());
  }

  @Test
  void R18_aLoggerThatFailsEndsNobodysWork() {
    Handler broken =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            throw new StackOverflowError("injected");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    jul.addHandler(broken);
    try {
      logger.log(Level.WARNING, "a");
      logger.log(Level.WARNING, () -> "b", new Exception("injected"));
    } finally {
      jul.removeHandler(broken);
    }

    assertThat(records).extracting(LogRecord::getMessage).containsExactly("a", "b");
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}
