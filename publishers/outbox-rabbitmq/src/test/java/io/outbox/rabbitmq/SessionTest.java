package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.UnblockedCallback;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class SessionTest {

  private BlockedCallback blocked;
  private UnblockedCallback unblocked;

  @Test
  void aBrokerThatTakesNothingNowIsAnOutageUntilItDoes() throws Exception {
    Session session = new Session(connection(), null, true, new Quarantine(), message -> {});
    assertThat(session.blocked()).isNull();
    blocked.handle("low on memory");
    assertThat(session.blocked()).hasMessageContaining("low on memory");
    assertThat(session.isSilentFor(java.time.Duration.ZERO)).as("it said so").isFalse();
    unblocked.handle();
    assertThat(session.blocked()).isNull();
  }

  private Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("addBlockedListener")) {
                blocked = (BlockedCallback) arguments[0];
                unblocked = (UnblockedCallback) arguments[1];
              }
              return null;
            });
  }
}
