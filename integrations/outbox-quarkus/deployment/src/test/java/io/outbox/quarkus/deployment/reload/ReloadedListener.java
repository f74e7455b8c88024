package io.outbox.quarkus.deployment.reload;

import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

@Singleton
public class ReloadedListener {

  private final List<String> deliveries = new CopyOnWriteArrayList<>();

  @OutboxListener("OrderPlaced")
  void deliver(String json) {
    deliveries.add("first version: " + json);
  }

  public List<String> deliveries() {
    return deliveries;
  }
}
