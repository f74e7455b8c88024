package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.util.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R26: text that others wrote (types, keys, errors) reaches no log with control characters. */
@Timeout(300)
class PrintableLogsTest {

  private static final String EVIL = "A\nSEVERE forged\r\u001b[2J\u202e\u2028";

  @Test
  void R26_noModuleHasALoggerThatEscapesNothing() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("outbox-bom"))) {
      root = root.getParent();
    }
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> sources =
          files.filter(file -> file.toString().matches(".*/src/main/java/.*\\.java")).toList();
      assertThat(sources).hasSizeGreaterThan(300);
      assertThat(sources)
          .filteredOn(file -> !file.endsWith("io/outbox/util/PrintableLogger.java"))
          .filteredOn(PrintableLogsTest::hasPlainLogger)
          .isEmpty();
    }
  }

  private static boolean hasPlainLogger(Path source) {
    try {
      String text = Files.readString(source);
      return text.contains("System.getLogger") || text.contains("LoggerFactory.getLogger");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @EachDatabase
  void R26_whatAnEventSaysIsEscapedInTheEnginesLog(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind);
        LogRecords log = new LogRecords()) {
      EventEnvelope unroutable =
          EventEnvelope.builder(EVIL).aggregateType(EVIL).payloadJson("{}").build();
      EventEnvelope throwing = EventEnvelope.ofJson("Throws", "{}");
      scenario.write(scenario.coldWriter(), List.of(unroutable, throwing));
      scenario.start(
          scenario
              .wire(Outbox.multiNode())
              .claimLocking("a", Duration.ofMinutes(1))
              .missingListenerGrace(Duration.ZERO)
              .maxAttempts(1)
              .intervalMs(20)
              .onDead(
                  (event, error) -> {
                    throw new IllegalStateException(EVIL, new Exception(EVIL));
                  })
              .listenerRegistry(
                  new DefaultListenerRegistry()
                      .register(
                          "Throws",
                          event -> {
                            throw new IllegalStateException(EVIL, new Exception(EVIL));
                          })));
      scenario.awaitStatus(unroutable.eventId(), EventStatus.DEAD);
      scenario.awaitStatus(throwing.eventId(), EventStatus.DEAD);
      await().until(() -> log.contain("onDead failed for event " + throwing.eventId()));

      assertThat(log.all()).isNotEmpty();
      assertThat(log.all()).allSatisfy(PrintableLogsTest::assertHarmless);
      // proves that the text was there to be escaped
      assertThat(log.all())
          .anyMatch(logged -> trace(logged).contains("A\\nSEVERE forged\\r\\u001b[2J\\u202e"));
    }
  }

  private static void assertHarmless(LogRecord logged) {
    assertThat(logged.getMessage().codePoints()).allMatch(Printable::isHarmless);
    assertThat(trace(logged).lines()).noneMatch(line -> line.startsWith("SEVERE"));
    assertThat(trace(logged).codePoints().filter(c -> c != '\n' && c != '\t'))
        .allMatch(Printable::isHarmless);
  }

  private static String trace(LogRecord logged) {
    StringWriter text = new StringWriter();
    if (logged.getThrown() != null) {
      logged.getThrown().printStackTrace(new PrintWriter(text, true));
    }
    return text.toString();
  }
}
