package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.OutboxWriter;
import io.outbox.annotation.OutboxListener;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Without its datasource the outbox is off, and the application starts. */
class InactiveDataSourceTest {

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withConfigurationResource("shop.properties")
          .overrideConfigKey("quarkus.datasource.active", "false")
          .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.outbox"))
          .assertLogRecords(
              records ->
                  assertThat(records)
                      .extracting(LogRecord::getMessage)
                      .anyMatch(InactiveDataSourceTest::saysWhatToDo));

  private static boolean saysWhatToDo(String message) {
    return message.contains("The outbox is off") && message.contains("quarkus.datasource.active");
  }

  static class Listener {
    @OutboxListener("OrderPlaced")
    void on(String json) {}
  }

  @Inject Instance<OutboxWriter> writer;

  @TestHTTPResource("/q/health/ready")
  URI ready;

  @Test
  void theOutboxIsOff() throws Exception {
    assertThatThrownBy(() -> writer.get()).hasStackTraceContaining("The outbox is off");

    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("The outbox is off");
  }
}
