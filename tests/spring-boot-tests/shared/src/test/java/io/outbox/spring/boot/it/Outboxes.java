package io.outbox.spring.boot.it;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Applications with an outbox, and what tests do with them. */
final class Outboxes {

  static final Duration SOON = Duration.ofSeconds(60);

  private Outboxes() {}

  /** An application with JDBC on a database in memory, and all auto-configurations of ours. */
  static ApplicationContextRunner runner() {
    return withoutDataSource()
        .withConfiguration(AutoConfigurations.of(Boot.JDBC))
        .withInitializer(
            context -> {
              if (!context.getEnvironment().containsProperty("spring.datasource.url")) {
                TestPropertyValues.of("spring.datasource.url=" + inMemory()).applyTo(context);
              }
            });
  }

  static ApplicationContextRunner withoutDataSource() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                ImportCandidates.load(AutoConfiguration.class, Outboxes.class.getClassLoader())
                    .getCandidates()
                    .stream()
                    .filter(name -> name.startsWith("io.outbox."))
                    .map(name -> ClassUtils.resolveClassName(name, null))
                    .toArray(Class<?>[]::new)));
  }

  /** A new database in memory. */
  static String inMemory() {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  }

  static void write(ApplicationContext context, EventEnvelope event) {
    OutboxWriter writer = context.getBean(OutboxWriter.class);
    context.getBean(TransactionTemplate.class).executeWithoutResult(tx -> writer.write(event));
  }

  static void write(ApplicationContext context, String eventType, String payloadJson) {
    write(context, EventEnvelope.ofJson(eventType, payloadJson));
  }

  /** How many events there are by status. */
  static Map<EventStatus, Integer> counts(ApplicationContext context) {
    Map<EventStatus, Integer> counts = new TreeMap<>();
    context
        .getBean(JdbcTemplate.class)
        .query(
            "SELECT status, count(*) FROM outbox_event GROUP BY status",
            row -> {
              counts.put(EventStatus.fromCode(row.getInt(1)), row.getInt(2));
            });
    return counts;
  }

  static void awaitCounts(ApplicationContext context, Map<EventStatus, Integer> expected) {
    Await.until(
        () -> "the events " + expected + ", there are " + counts(context),
        SOON,
        () -> counts(context).equals(expected));
  }
}
