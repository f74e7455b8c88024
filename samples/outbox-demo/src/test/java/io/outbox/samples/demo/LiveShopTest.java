package io.outbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.console.OutboxConsole;
import io.outbox.model.EventStatus;
import io.outbox.operate.Overview;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveShopTest {

  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  @BeforeEach
  void silenceTheLibrary() {
    LIBRARY_LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void restoreTheLog() {
    LIBRARY_LOG.setLevel(null);
  }

  @Test
  void theConsoleShowsEventsThatAreDeliveredAndSomeThatAreNot() throws Exception {
    try (LiveShop shop = new LiveShop();
        OutboxConsole console = Demo.console(shop, 0).start()) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                Overview overview = shop.operator().overview();
                return overview.counts().get(EventStatus.DONE).value() > 10
                    && overview.counts().get(EventStatus.DEAD).value() > 0;
              });
      HttpResponse<String> page =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(console.url()).build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<html");
    }
  }

  @Test
  void anOrderIsTakenWhateverChanceSays() {
    Random least =
        new Random() {
          @Override
          public int nextInt(int bound) {
            return 0;
          }
        };

    assertThat(LiveShop.order("A-1", "customer-1", least)).hasSize(3);
  }

  @Test
  void thePortIsFreeOrTheOneThatIsNamed() {
    assertThat(Demo.consolePort("--console")).isZero();
    assertThat(Demo.consolePort("--console", "--port", "8085")).isEqualTo(8085);
    assertThat(Demo.consolePort("--port", "8085")).isNegative();
    assertThat(Demo.consolePort("--console", "--port", "x")).isNegative();
    assertThat(Demo.consolePort("--help")).isNegative();
  }
}
