package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;

/** What the broker's ways to say no mean for one message. */
final class Refusal {

  private Refusal() {}

  /** No queue took a message that demanded one. */
  static String unroutable(int code, String text, String exchange, String routingKey) {
    return "unroutable: exchange '"
        + exchange
        + "' has no queue for routing key '"
        + routingKey
        + "' ("
        + code
        + " "
        + text
        + ")";
  }

  /** No queue took it, which is known when the broker acknowledges it. */
  static void returned(Outgoing message, String reason) {
    if (message.isDeadIfReturned()) {
      message.answer(DispatchResult.dead(reason));
    } else if (message.exchange().isEmpty()) {
      message.fail(OutageException.ofDestination(message.destination(), reason, null));
    } else {
      message.fail(new RecoverableException(reason));
    }
  }

  /** The broker closed the channel on which this message was the only one. */
  static void answer(Outgoing message, ShutdownSignalException signal) {
    if (!isAboutTheChannel(signal)) {
      message.fail(outage(signal));
      return;
    }
    String text = text(signal);
    switch (code(signal)) {
      // Not the event's fault: the exchange will be there, or allowed.
      case AMQP.NOT_FOUND, AMQP.ACCESS_REFUSED ->
          message.fail(
              OutageException.ofDestination(
                  message.destination(), "RabbitMQ refused it: " + text, null));
      case AMQP.PRECONDITION_FAILED, AMQP.CONTENT_TOO_LARGE ->
          message.answer(DispatchResult.dead("RabbitMQ refused it: " + text));
      default -> message.fail(new RecoverableException("RabbitMQ refused it: " + text));
    }
  }

  /** Whether the broker objected to what came through one channel; else the connection is gone. */
  static boolean isAboutTheChannel(ShutdownSignalException signal) {
    return !signal.isHardError() && !signal.isInitiatedByApplication();
  }

  static OutageException outage(Throwable cause) {
    return new OutageException("the connection to RabbitMQ is lost: " + cause.getMessage(), cause);
  }

  static String text(ShutdownSignalException signal) {
    Method reason = signal.getReason();
    if (reason instanceof AMQP.Channel.Close close) {
      return close.getReplyCode() + " " + close.getReplyText();
    }
    return String.valueOf(signal.getMessage());
  }

  private static int code(ShutdownSignalException signal) {
    return signal.getReason() instanceof AMQP.Channel.Close close ? close.getReplyCode() : 0;
  }
}
