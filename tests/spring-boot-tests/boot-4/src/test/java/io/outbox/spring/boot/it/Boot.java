package io.outbox.spring.boot.it;

import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
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
    OpenTelemetrySdkAutoConfiguration.class,
    OpenTelemetryTracingAutoConfiguration.class,
    MicrometerTracingAutoConfiguration.class
  };

  /** The codec that goes with the Jackson of this version. */
  static final Class<?> JACKSON_CODEC = io.outbox.jackson3.Jackson3JsonCodec.class;

  private Boot() {}

  record OutboxHealth(String status, Map<String, Object> details) {}

  static OutboxHealth outboxHealth(ApplicationContext context) {
    Health health = context.getBean("outboxHealthIndicator", HealthIndicator.class).health();
    return new OutboxHealth(health.getStatus().getCode(), health.getDetails());
  }
}
