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
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The one connection: opened when it is needed, opened anew when it was lost, and not too soon
 * after a failure. The client's own reconnecting is off: it would keep commands in a queue and send
 * them again behind our back. Thread-safe; waits for nothing, except to close.
 */
final class Connector {

  private static final Logger LOG = PrintableLogger.of(RedisPublisher.class);
  private static final int MAX_COMMANDS = 10_000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration SHUTDOWN = Duration.ofSeconds(2);

  private final RedisURI uri;
  private final RedisClient client;
  private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> current; // null: none so far
  private OutageException failure; // of the last try; null if it succeeded
  private Duration pause = FIRST_PAUSE;
  private long nextTryNanos;
  private boolean refusing;

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
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> opening;
    synchronized (this) {
      if (refusing) {
        return CompletableFuture.failedFuture(closed());
      }
      if (current != null && !isBroken(current)) {
        return current;
      }
      if (failure != null && System.nanoTime() - nextTryNanos < 0) {
        return CompletableFuture.failedFuture(failure);
      }
      close(current);
      opening = new CompletableFuture<>();
      current = opening;
    }
    try {
      client
          .connectAsync(ByteArrayCodec.INSTANCE, uri)
          .whenComplete((opened, reason) -> ended(opening, opened, reason));
    } catch (RuntimeException e) {
      ended(opening, null, e);
    }
    return opening;
  }

  private static boolean isBroken(
      CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connection) {
    return connection.isDone()
        && (connection.isCompletedExceptionally() || !connection.join().isOpen());
  }

  private void ended(
      CompletableFuture<StatefulRedisConnection<byte[], byte[]>> opening,
      StatefulRedisConnection<byte[], byte[]> opened,
      Throwable reason) {
    if (reason == null) {
      succeeded();
      opening.complete(opened);
    } else {
      opening.completeExceptionally(failed(Replies.outage(Replies.unwrap(reason))));
    }
  }

  private synchronized void succeeded() {
    failure = null;
    pause = FIRST_PAUSE;
    LOG.log(Level.INFO, "connected to Redis");
  }

  private synchronized OutageException failed(OutageException outage) {
    if (failure == null) {
      LOG.log(Level.WARNING, outage.getMessage());
    }
    failure = outage;
    nextTryNanos = System.nanoTime() + pause.toNanos();
    pause = min(pause.multipliedBy(2), LONGEST_PAUSE);
    return outage;
  }

  static OutageException closed() {
    return new OutageException("the publisher was closed");
  }

  /** Gives no more connections. */
  synchronized void refuse() {
    refusing = true;
  }

  /** Ends the connection and the client's threads. */
  void close() {
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> last;
    synchronized (this) {
      last = current;
    }
    close(last);
    try {
      client.shutdown(Duration.ZERO, SHUTDOWN);
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "the client did not end as it should", e);
    }
  }

  private static void close(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> old) {
    if (old != null && old.isDone() && !old.isCompletedExceptionally()) {
      old.join().closeAsync();
    }
  }
}
