package io.outbox.moving;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** An application with namastack-outbox, which creates its tables and fills them. */
final class NamastackApp implements AutoCloseable {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
        "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
        "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
        "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration"
      })
  static class Application {}

  // snippet: moving-namastack-before
  static final class OrderHandler implements OutboxTypedHandler<OrderPlaced> {
    private final Consumer<OrderPlaced> mail;

    OrderHandler(Consumer<OrderPlaced> mail) {
      this.mail = mail;
    }

    @Override
    public void handle(OrderPlaced order, OutboxRecordMetadata metadata) {
      mail.accept(order);
    }
  }

  // end

  private final SpringApp app;
  private final Outbox outbox;

  /** Its handler is called by a poll, and polls come at this interval. */
  NamastackApp(DataSource dataSource, String interval, Consumer<OrderPlaced> handler) {
    app =
        new SpringApp(
            Application.class,
            dataSource,
            Map.of(
                "namastack.outbox.polling.fixed.interval",
                interval,
                "namastack.outbox.retry.max-retries",
                1,
                "namastack.outbox.retry.policy",
                "fixed",
                "namastack.outbox.retry.fixed.delay",
                "50ms"),
            context ->
                context.registerBean(
                    "orderHandler", OrderHandler.class, () -> new OrderHandler(handler)));
    outbox = app.bean(Outbox.class);
  }

  void write(OrderPlaced order) {
    app.inTransaction(() -> schedule(order));
  }

  private void schedule(OrderPlaced order) {
    // snippet: moving-namastack-before
    outbox.schedule(order, order.customer(), Map.of("tenant", "shop"));
    // end
  }

  @Override
  public void close() {
    app.close();
  }
}
