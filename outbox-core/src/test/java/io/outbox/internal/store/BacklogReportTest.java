package io.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Proxy;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class BacklogReportTest {

  /** Whoever reports goes on to read events. */
  @Test
  void R1_aTableThatCannotBeCountedIsReadAllTheSame() throws Exception {
    MetricsExporter metrics =
        (MetricsExporter)
            Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> method.getName().equals("wantsBacklog") ? true : null);
    try (Engine engine = new Engine()) {
      StoreSession session =
          new StoreSession(
              () -> {
                throw new IllegalStateException("injected");
              },
              engine.store);

      assertThatNoException().isThrownBy(new BacklogReport(session, metrics)::reportIfDue);
      assertThat(CapturedLogs.of(BacklogReport.class, Level.WARNING)).hasSize(1);
    }
  }
}
