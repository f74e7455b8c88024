package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalTest {

  private final Outgoing message = new Outgoing("1", "orders", "key", null, new byte[0], false);

  @ParameterizedTest
  @ValueSource(ints = {AMQP.PRECONDITION_FAILED, AMQP.CONTENT_TOO_LARGE})
  void whatNeverCanBePublishedIsDead(int code) {
    Refusal.answer(message, closed(code));
    assertThat(message.answer().future().join())
        .isInstanceOfSatisfying(
            DispatchResult.Dead.class,
            dead -> assertThat(dead.reason()).contains(code + " because"));
  }

  @ParameterizedTest
  @ValueSource(ints = {AMQP.RESOURCE_LOCKED, 999})
  void whatMayBeAllowedLaterIsRetried(int code) {
    Refusal.answer(message, closed(code));
    assertThat(message.answer().future())
        .isCompletedExceptionally()
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isExactlyInstanceOf(RecoverableException.class)
        .withMessageContaining(code + " because");
  }

  @ParameterizedTest
  @ValueSource(ints = {AMQP.NOT_FOUND, AMQP.ACCESS_REFUSED})
  void R25_anExchangeThatIsMissingOrForbiddenIsAnOutageOfThatExchange(int code) {
    Refusal.answer(message, closed(code));
    assertThat(message.answer().future().handle((result, failure) -> failure).join())
        .isInstanceOfSatisfying(
            OutageException.class,
            outage -> {
              assertThat(outage.destination()).isEqualTo("exchange orders");
              assertThat(outage).hasMessageContaining(code + " because");
            });
  }

  @Test
  void aLostConnectionIsAnOutage() {
    Refusal.answer(message, new ShutdownSignalException(true, false, null, null));
    assertThat(message.answer().future())
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(OutageException.class);
  }

  private static ShutdownSignalException closed(int code) {
    AMQP.Channel.Close close =
        new AMQP.Channel.Close.Builder().replyCode(code).replyText("because").build();
    return new ShutdownSignalException(false, false, close, null);
  }
}
