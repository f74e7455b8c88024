package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.outbox.DispatchResult;
import io.outbox.internal.publish.Answer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A message on its way to the broker. It is answered once; the first answer counts. Thread-safe.
 */
final class Outgoing {

  private final String eventId;
  private final String exchange;
  private final String routingKey;
  private final AMQP.BasicProperties properties;
  private final byte[] body;
  private final boolean deadIfReturned;
  private final Answer answer;
  private volatile String returned; // why the broker gave it back; null if it did not

  Outgoing(
      String eventId,
      String exchange,
      String routingKey,
      AMQP.BasicProperties properties,
      byte[] body,
      boolean deadIfReturned) {
    this.eventId = eventId;
    this.answer = new Answer(eventId);
    this.exchange = exchange;
    this.routingKey = routingKey;
    this.properties = properties;
    this.body = body;
    this.deadIfReturned = deadIfReturned;
  }

  String eventId() {
    return eventId;
  }

  String exchange() {
    return exchange;
  }

  String routingKey() {
    return routingKey;
  }

  AMQP.BasicProperties properties() {
    return properties;
  }

  byte[] body() {
    return body;
  }

  /** Whether it is DEAD if no queue takes it; else it is sent again. */
  boolean isDeadIfReturned() {
    return deadIfReturned;
  }

  /** What must be there for it, as an operator should see it. */
  String destination() {
    return destination(exchange, routingKey);
  }

  /** Through the exchange without a name, the routing key is that of a queue. */
  static String destination(String exchange, String routingKey) {
    return exchange.isEmpty() ? "queue " + routingKey : "exchange " + exchange;
  }

  Answer answer() {
    return answer;
  }

  boolean isAnswered() {
    return answer.future().isDone();
  }

  /** No queue took it. The broker acknowledges it all the same, after this. */
  void returned(String reason) {
    returned = reason;
  }

  /** The broker has taken responsibility for it, unless it gave it back before. */
  void acknowledged() {
    String reason = returned;
    if (reason == null) {
      answer.done();
    } else {
      Refusal.returned(this, reason);
    }
  }

  void answer(DispatchResult result) {
    answer.result(result);
  }

  void fail(Throwable failure) {
    answer.fail(failure);
  }

  void whenAnswered(Runnable action) {
    answer.future().whenComplete((result, failure) -> action.run());
  }

  /**
   * Waits for the answer; one that does not come is an outage.
   *
   * @return whether there is a result, not a failure
   */
  boolean awaitAnswer(Duration limit) throws InterruptedException {
    try {
      answer.future().get(limit.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | RuntimeException e) {
      return false; // the caller sees the failure
    } catch (TimeoutException e) {
      answer.overdue("RabbitMQ", limit);
      return false;
    }
  }
}
