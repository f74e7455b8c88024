package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.annotation.Transactional;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Methods of all kinds. */
@Singleton
@Requires(property = "spec", value = "kinds")
public class Kinds {

  /** A payload. */
  public record Order(String id, int quantity) {}

  private final Heard heard;

  public Kinds(Heard heard) {
    this.heard = heard;
  }

  @OutboxListener("Object")
  public void object(Order order) {
    heard.add("Object", order);
  }

  @OutboxListener(eventType = "Both", aggregateType = "Order")
  void both(EventEnvelope event, Order order) {
    heard.add("Both", event.aggregateId() + " " + order);
  }

  @OutboxListener("Text")
  protected DispatchResult text(String json) {
    heard.add("Text", json);
    return DispatchResult.done();
  }

  @OutboxListener("Map")
  public void map(Map<String, Object> payload) {
    heard.add("Map", payload.get("id"));
  }

  @OutboxListener("Bytes")
  public void bytes(byte[] payload) {
    heard.add("Bytes", payload.length);
  }

  @OutboxListener("Later")
  public CompletionStage<DispatchResult> later(Order order) {
    return CompletableFuture.supplyAsync(
        () -> {
          heard.add("Later", order);
          return DispatchResult.done();
        });
  }

  @OutboxListener(value = "Copied", subscription = "mail")
  public void mail(EventEnvelope event) {
    heard.add("mail", event.eventId());
    throw new IllegalStateException("no mail today");
  }

  @OutboxListener(value = "Copied", subscription = "count")
  public void count(EventEnvelope event) {
    heard.add("count", event.eventId());
  }

  @Transactional
  @OutboxListener("InTransaction")
  public void inTransaction(Order order) {
    heard.add("InTransaction", heard.isInTransaction());
  }

  /** Checked exceptions reach the outbox as they are. */
  @OutboxListener("Failing")
  public void failing(EventEnvelope event) throws Exception {
    if (heard.count("Failing") == 0) {
      heard.add("Failing", event.eventId());
      throw new Exception("the first attempt fails");
    }
    heard.add("Failing", event.eventId());
  }
}
