package io.outbox.internal.signals;

import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Engine;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.KeySignals;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class KeySignalSenderTest {

  private static final int MANY = 3_000; // short names of so many keys fit into one message

  private final Set<Object> told = ConcurrentHashMap.newKeySet();
  private final AtomicInteger failures = new AtomicInteger();
  private final CountDownLatch databaseAnswers = new CountDownLatch(1);

  private final KeySignals signals =
      (KeySignals)
          Proxy.newProxyInstance(
              KeySignals.class.getClassLoader(),
              new Class<?>[] {KeySignals.class},
              (proxy, method, args) -> {
                databaseAnswers.await();
                if (failures.getAndDecrement() > 0) {
                  throw new SQLException("cut off", "08006");
                }
                told.addAll(args.length == 1 ? Set.of("any") : (Collection<?>) args[1]);
                return null;
              });

  /** Whoever hears does not look: what is not told waits for the interval. */
  @Test
  void whatCouldNotBeToldIsToldAgain() throws Exception {
    try (Engine engine = new Engine()) {
      KeySignalSender broadcast =
          new KeySignalSender(new StoreSession(engine.database, engine.store), signals);
      failures.set(2);
      databaseAnswers.countDown();
      broadcast.start();
      broadcast.tell(EventKey.named("a"));
      await().until(() -> told, Set.of(EventKey.named("a"))::equals);
      failures.set(1);
      broadcast.tellAny();

      await().until(() -> told, Set.of(EventKey.named("a"), "any")::equals);
      broadcast.close();
    }
  }

  @Test
  void noKeyIsForgottenWhileTheDatabaseIsSlow() throws Exception {
    try (Engine engine = new Engine()) {
      KeySignalSender broadcast =
          new KeySignalSender(new StoreSession(engine.database, engine.store), signals);
      broadcast.start();
      IntStream.range(0, MANY).forEach(i -> broadcast.tell(EventKey.named("k" + i)));
      databaseAnswers.countDown();

      await().until(() -> told.size() == MANY);
      broadcast.close();
    }
  }
}
