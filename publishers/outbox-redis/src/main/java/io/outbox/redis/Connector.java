package io.outbox.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.outbox.OutageException;
import io.outbox.internal.publish.ConnectBackoff;
import io.outbox.internal.publish.SharedConnection;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * How Redis is connected to. The client's own reconnecting is off: it would queue commands and send
 * them again unnoticed. Thread-safe; waits for nothing, except to close.
 */
final class Connector implements SharedConnection.Client<StatefulRedisConnection<byte[], byte[]>> {

  private static final Logger LOG = PrintableLogger.of(RedisPublisher.class);
  private static final int MAX_COMMANDS = 10_000;
  private static final Duration SHUTDOWN = Duration.ofSeconds(2);

  private final RedisURI uri;
  private final RedisClient client;
  private final SharedConnection<StatefulRedisConnection<byte[], byte[]>> shared =
      new SharedConnection<>(this, new ConnectBackoff("Redis", LOG));

  Connector(RedisURI given, ClientOptions options, Duration timeout) {
    this.uri = bounded(given, timeout);
    this.client = RedisClient.create(uri);
    SocketOptions socket = options.getSocketOptions();
    ClientOptions.Builder own =
        options
            .mutate()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(MAX_COMMANDS)
            .socketOptions(
                socket.mutate().connectTimeout(min(timeout, socket.getConnectTimeout())).build())
            .timeoutOptions(TimeoutOptions.enabled(timeout));
    withoutHandovers(own);
    client.setOptions(own.build());
  }

  /**
   * Lettuce 7 can follow a server that announces its maintenance; Spring Boot 3 brings Lettuce 6.
   */
  private static void withoutHandovers(ClientOptions.Builder options) {
    try {
      Handovers.switchOff(options);
    } catch (NoClassDefFoundError | NoSuchMethodError e) {
      LOG.log(Level.DEBUG, "this version of Lettuce has no handovers to switch off", e);
    }
  }

  /** Apart, so that its classes are looked for only when it is called. */
  private static final class Handovers {
    static void switchOff(ClientOptions.Builder options) {
      options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }
  }

  private static RedisURI bounded(RedisURI given, Duration timeout) {
    RedisURI.Builder copy = RedisURI.builder(given).withTimeout(timeout);
    given.getSentinels().forEach(copy::withSentinel);
    if (given.getSentinelMasterId() != null) {
      copy.withSentinelMasterId(given.getSentinelMasterId());
    }
    return copy.build();
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** A connection that is open, or will be; or an {@link OutageException}. */
  CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connection() {
    return shared.get();
  }

  @Override
  public CompletionStage<StatefulRedisConnection<byte[], byte[]>> open() {
    return client.connectAsync(ByteArrayCodec.INSTANCE, uri);
  }

  @Override
  public boolean isOver(StatefulRedisConnection<byte[], byte[]> connection) {
    return !connection.isOpen();
  }

  @Override
  public void end(StatefulRedisConnection<byte[], byte[]> connection) {
    connection.closeAsync();
  }

  @Override
  public OutageException outage(Throwable failure) {
    return Replies.outage(failure);
  }

  /** Gives no more connections. */
  void refuse() {
    shared.refuse();
  }

  /** Ends the connection and the client's threads. */
  void close() {
    shared.close();
    try {
      client.shutdown(Duration.ZERO, SHUTDOWN);
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the client did not end as it should", e);
    }
  }
}
