package io.outbox.publishertests.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.redis.RedisPublisher;
import io.outbox.testbrokers.RedisServer;
import io.outbox.testing.Await;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A real Redis that takes nothing for a while. */
@Timeout(120)
@Isolated
class TroubleTest {

  private static URI server;
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> operator;

  @BeforeAll
  static void start() {
    server = RedisServer.startOwn();
    client = RedisClient.create(server.toString());
    operator = client.connect();
  }

  @AfterAll
  static void stop() {
    if (client != null) {
      client.shutdown();
    }
  }

  private static void command(String line) {
    String[] words = line.split(" ");
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (int i = 1; i < words.length; i++) {
      args.add(words[i]);
    }
    String answer =
        operator
            .sync()
            .dispatch(
                CommandType.valueOf(words[0].toUpperCase(Locale.ROOT)),
                new StatusOutput<>(StringCodec.UTF8),
                args);
    assertThat(answer).as(line).isEqualTo("OK");
  }

  private static CompletionStage<DispatchResult> publish(RedisPublisher publisher)
      throws Exception {
    return publisher.onEvent(EventEnvelope.ofJson("Placed", "{}"));
  }

  private static boolean isTaken(RedisPublisher publisher) {
    try {
      return DispatchResult.done()
          .equals(publish(publisher).toCompletableFuture().get(60, TimeUnit.SECONDS));
    } catch (Exception e) {
      assertThat(e).hasCauseInstanceOf(OutageException.class);
      return false;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "OOM, config set maxmemory 1, config set maxmemory 0",
    "NOREPLICAS, config set min-replicas-to-write 1, config set min-replicas-to-write 0",
    "READONLY, replicaof 127.0.0.1 1, replicaof no one"
  })
  void isAnOutageAndEndsWithIt(String code, String trouble, String cure) throws Exception {
    try (RedisPublisher publisher =
        RedisPublisher.builder().uri(server.toString()).destination("orders").build()) {
      assertThat(publish(publisher).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(DispatchResult.done());
      command(trouble);
      assertThat(publish(publisher))
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(OutageException.class)
          .withMessageContaining(code);
      command(cure);
      // not at once: the connection to a server that was the wrong one is being given up
      Await.until("an event to be taken", Duration.ofSeconds(60), () -> isTaken(publisher));
    }
  }
}
