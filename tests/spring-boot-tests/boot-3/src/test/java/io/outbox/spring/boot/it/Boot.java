package io.outbox.spring.boot.it;

import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.tracing.MicrometerTracingAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.tracing.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration;
import org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration;
import org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.ApplicationContext;

/** What has another name, or another place, in each version of Spring Boot. */
final class Boot {

  static final Class<?>[] JDBC = {
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    TransactionManagerCustomizationAutoConfiguration.class,
    TransactionAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class
  };
  static final Class<?> JPA = HibernateJpaAutoConfiguration.class;
  static final Class<?> FLYWAY = FlywayAutoConfiguration.class;
  static final Class<?> LIQUIBASE = LiquibaseAutoConfiguration.class;
  static final Class<?> JACKSON = JacksonAutoConfiguration.class;
  static final Class<?>[] ACTUATOR = {
    EndpointAutoConfiguration.class, HealthContributorAutoConfiguration.class
  };
  static final Class<?>[] METRICS = {
    MetricsAutoConfiguration.class,
    SimpleMetricsExportAutoConfiguration.class,
    CompositeMeterRegistryAutoConfiguration.class
  };
  static final Class<?>[] TRACING = {
    ObservationAutoConfiguration.class,
    OpenTelemetryAutoConfiguration.class,
    OpenTelemetryTracingAutoConfiguration.class,
    MicrometerTracingAutoConfiguration.class
  };

  /** The codec that goes with the Jackson of this version. */
  static final Class<?> JACKSON_CODEC = io.outbox.spring.boot.JacksonJsonCodec.class;

  private Boot() {}

  record OutboxHealth(String status, Map<String, Object> details) {}

  static OutboxHealth outboxHealth(ApplicationContext context) {
    Health health = context.getBean("outboxHealthIndicator", HealthIndicator.class).health();
    return new OutboxHealth(health.getStatus().getCode(), health.getDetails());
  }
}
