package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.JsonCodec;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The application's codec is the default as long as the application may write events. */
class CodecTest {

  /** Tells what happened in the class loader of the application. */
  private static final String AT_THE_STOP = "outbox.quarkus.codec-at-the-stop";

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:codec;DB_CLOSE_DELAY=-1")
          .setAfterUndeployListener(
              () -> assertThat(System.clearProperty(AT_THE_STOP)).isEqualTo("the application's"));

  @Inject JsonCodec codec;

  @Singleton
  static class LastWords {

    @Inject JsonCodec codec;

    void stop(@Observes ShutdownEvent event) {
      System.setProperty(
          AT_THE_STOP, JsonCodec.getDefault() == codec ? "the application's" : "another");
    }
  }

  @Test
  void itIsTheDefaultUntilTheApplicationHasStopped() {
    assertThat(JsonCodec.getDefault()).isSameAs(codec);
  }
}
