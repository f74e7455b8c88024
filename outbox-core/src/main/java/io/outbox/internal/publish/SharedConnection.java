package io.outbox.internal.publish;

import io.outbox.OutageException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The one connection of a publisher: opened when it is needed, opened anew when it is over, and not
 * too soon after a failure. Thread-safe; waits for nothing, except to close.
 *
 * @param <C> the client's connection
 */
public final class SharedConnection<C> {

  /** What a client does. */
  public interface Client<C> {

    /** Connects, without waiting for it. */
    CompletionStage<C> open();

    /** Whether it is of no use any more, and never will be. */
    boolean isOver(C connection);

    /** Ends one that is over, or no longer needed. */
    void end(C connection);

    /** What a failure to connect is to be called. */
    OutageException outage(Throwable failure);
  }

  private final Client<C> client;
  private final ConnectBackoff backoff;
  private CompletableFuture<C> current; // null: none so far
  private boolean refusing;

  public SharedConnection(Client<C> client, ConnectBackoff backoff) {
    this.client = Objects.requireNonNull(client, "client");
    this.backoff = Objects.requireNonNull(backoff, "backoff");
  }

  /** A connection that is open, or will be; or an {@link OutageException}. */
  public CompletableFuture<C> get() {
    CompletableFuture<C> before;
    CompletableFuture<C> opening;
    synchronized (this) {
      if (refusing) {
        return CompletableFuture.failedFuture(Answers.closed());
      }
      if (current != null && !isOver(current)) {
        return current;
      }
      OutageException tooEarly = backoff.tooEarly();
      if (tooEarly != null) {
        return CompletableFuture.failedFuture(tooEarly);
      }
      before = current;
      opening = new CompletableFuture<>();
      current = opening;
    }
    try {
      end(before);
      client.open().whenComplete((opened, failure) -> opened(opening, opened, failure));
    } catch (RuntimeException e) {
      opened(opening, null, e);
    }
    return opening;
  }

  private boolean isOver(CompletableFuture<C> connection) {
    return connection.isDone()
        && (connection.isCompletedExceptionally() || client.isOver(connection.join()));
  }

  private void opened(CompletableFuture<C> opening, C opened, Throwable failure) {
    if (failure == null) {
      backoff.connected();
      opening.complete(opened);
    } else {
      Throwable reason = Answer.unwrap(failure);
      opening.completeExceptionally(
          backoff.failed(reason instanceof OutageException known ? known : client.outage(reason)));
    }
  }

  /** Gives no more connections. */
  public synchronized void refuse() {
    refusing = true;
  }

  public synchronized boolean isRefusing() {
    return refusing;
  }

  /** Ends the connection, if there is one. */
  public void close() {
    CompletableFuture<C> last;
    synchronized (this) {
      last = current;
    }
    end(last);
  }

  private void end(CompletableFuture<C> last) {
    if (last != null && last.isDone() && !last.isCompletedExceptionally()) {
      client.end(last.join());
    }
  }
}
