package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.annotation.OutboxListener;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application that does without the outbox needs no datasource for it. */
class DisabledTest {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .overrideConfigKey("quarkus.outbox.enabled", "false")
          .overrideConfigKey("quarkus.devservices.enabled", "false")
          .overrideConfigKey("quarkus.otel.traces.exporter", "none");

  static class Listener {
    @OutboxListener("OrderPlaced")
    void on(String json) {}
  }

  @Test
  void thereIsNoOutbox() {
    assertThat(Arc.container().select(Outbox.class).isResolvable()).isFalse();
  }
}
