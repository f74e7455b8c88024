package io.outbox.fakes;

import io.outbox.operate.DeliveryPause;
import io.outbox.spi.OperatorStore;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Of what operators do, the engine has to know the pauses and nothing else. */
public final class FakeOperator {

  public volatile boolean installed = true;

  /** Thrown by whatever asks, if not null. */
  public volatile RuntimeException failure;

  private final List<DeliveryPause> pauses = new CopyOnWriteArrayList<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final OperatorStore store =
      (OperatorStore)
          Proxy.newProxyInstance(
              OperatorStore.class.getClassLoader(),
              new Class<?>[] {OperatorStore.class},
              (proxy, method, args) -> answer(method.getName()));

  public OperatorStore store() {
    return store;
  }

  private Object answer(String method) {
    looks.incrementAndGet();
    if (failure != null) {
      throw failure;
    }
    return switch (method) {
      case "isInstalled" -> installed;
      case "pauses" -> installed ? List.copyOf(pauses) : List.of();
      default -> throw new UnsupportedOperationException(method);
    };
  }

  /** How often somebody asked. */
  public int looks() {
    return looks.get();
  }

  public void pause(String aggregateType, String eventType) {
    pauses.add(new DeliveryPause(aggregateType, eventType, "tester", Instant.EPOCH, "a test"));
  }

  public void resume(String aggregateType, String eventType) {
    pauses.removeIf(
        pause ->
            Objects.equals(pause.aggregateType(), aggregateType)
                && Objects.equals(pause.eventType(), eventType));
  }
}
