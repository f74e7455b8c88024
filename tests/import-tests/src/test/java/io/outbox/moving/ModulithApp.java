package io.outbox.moving;

import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.ApplicationModuleListener;

/** An application with the events of Spring Modulith over JDBC. */
final class ModulithApp implements AutoCloseable {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
        "io.namastack.outbox.OutboxJacksonAutoConfiguration",
        "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
        "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration"
      })
  static class Application {}

  // snippet: moving-modulith-before
  static class Mailer {
    private final Consumer<OrderPlaced> mail;

    Mailer(Consumer<OrderPlaced> mail) {
      this.mail = mail;
    }

    @ApplicationModuleListener(id = "mailer")
    void on(OrderPlaced order) {
      mail.accept(order);
    }
  }

  // end

  private final SpringApp app;
  private final ApplicationEventPublisher publisher;

  ModulithApp(DataSource dataSource, Consumer<OrderPlaced> listener) {
    app =
        new SpringApp(
            Application.class,
            dataSource,
            Map.of("spring.modulith.events.jdbc.schema-initialization.enabled", true),
            context -> context.registerBean("mailer", Mailer.class, () -> new Mailer(listener)));
    publisher = app.publisher();
  }

  void write(OrderPlaced order) {
    app.inTransaction(() -> publish(order));
  }

  private void publish(OrderPlaced order) {
    // snippet: moving-modulith-before
    publisher.publishEvent(order);
    // end
  }

  @Override
  public void close() {
    app.close();
  }
}
