package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.internal.publish.Answer;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RepliesTest {

  private final Answer answer = new Answer("1");

  @ParameterizedTest
  @CsvSource({
    "WRONGTYPE Operation against a key holding the wrong kind of value, OUTAGE OF stream orders",
    "READONLY You can't write against a read only replica., OUTAGE",
    "LOADING Redis is loading the dataset in memory, OUTAGE",
    "MISCONF Redis is configured to save RDB snapshots, OUTAGE",
    "OOM command not allowed when used memory > 'maxmemory'., OUTAGE",
    "MASTERDOWN Link with MASTER is down, OUTAGE",
    "NOREPLICAS Not enough good replicas to write., OUTAGE",
    "CLUSTERDOWN The cluster is down, OUTAGE",
    "BUSY Redis is busy running a script., OUTAGE",
    "NOAUTH Authentication required., OUTAGE",
    "NOPERM this user has no permissions, OUTAGE OF stream orders",
    "MOVED 3999 127.0.0.1:6381, RETRY",
    "ERR something, RETRY"
  })
  void whatRedisRefuses(String error, String expected) {
    Replies.answer(answer, new RedisCommandExecutionException(error), "orders");
    assertThat(kind()).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("outages")
  void aConnectionThatDoesNotAnswerIsAnOutage(Throwable failure) {
    Replies.answer(answer, Answer.unwrap(new CompletionException(failure)), "orders");
    assertThat(kind()).isEqualTo("OUTAGE");
  }

  static Stream<Throwable> outages() {
    return Stream.of(
        new RedisCommandTimeoutException("Command timed out after 10 second(s)"),
        new RedisException("Currently not connected. Commands are rejected."),
        new RedisException("Connection closed"),
        new IOException("Connection reset by peer"),
        new CancellationException());
  }

  @Test
  void aClientWhoseQueueIsFullIsThrottling() {
    Replies.answer(answer, new RedisException("Request queue size exceeded: 10000."), "orders");
    assertThat(kind()).isEqualTo("RETRY_AFTER");
  }

  @Test
  void anythingElseIsRetried() {
    Replies.answer(answer, new NullPointerException(), "orders");
    assertThat(kind()).isEqualTo("RETRY");
  }

  @Test
  void aServerThatIsNotThePrimaryIsLeft() {
    assertThat(Replies.isWrongServer(new RedisReadOnlyException("READONLY You can't"))).isTrue();
    assertThat(Replies.isWrongServer(new RedisLoadingException("LOADING Redis is"))).isTrue();
    assertThat(Replies.isWrongServer(new RedisCommandExecutionException("OOM command"))).isFalse();
    assertThat(Replies.isWrongServer(new IOException("READONLY x"))).isFalse();
  }

  private String kind() {
    return answer
        .future()
        .handle(
            (result, failure) -> {
              if (failure != null) {
                return failure instanceof OutageException outage
                    ? "OUTAGE" + (outage.destination() == null ? "" : " OF " + outage.destination())
                    : failure instanceof RecoverableException ? "RETRY" : failure.toString();
              }
              return result instanceof DispatchResult.Dead ? "DEAD" : "RETRY_AFTER";
            })
        .getNow("NOTHING");
  }
}
