package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.annotation.OutboxListener;
import io.quarkus.test.QuarkusUnitTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A listener that cannot be one fails the build of the application. */
class BadListenerTest {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:bad")
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("cannot be an outbox listener")
                      .hasStackTraceContaining("List<java.lang.String>"));

  static class Bad {
    @OutboxListener("OrderPlaced")
    void on(List<String> payload) {}
  }

  @Test
  void theBuildFails() {}
}
