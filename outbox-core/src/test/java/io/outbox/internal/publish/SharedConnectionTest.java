package io.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedConnectionTest {

  private final AtomicLong nanos = new AtomicLong();
  private final FakeClient client = new FakeClient();
  private final SharedConnection<String> connection =
      new SharedConnection<>(
          client, new ConnectBackoff("a broker", System.getLogger("test"), nanos::get));

  @Test
  void allShareTheConnectionThatIsBeingOpened() {
    CompletableFuture<String> first = connection.get();
    assertThat(connection.get()).isSameAs(first).isNotDone();
    client.openings.remove().complete("one");
    assertThat(connection.get()).isSameAs(first).isCompletedWithValue("one");
  }

  @Test
  void oneThatIsOverIsEndedAndReplaced() {
    connection.get();
    client.openings.remove().complete("one");
    client.over.add("one");
    CompletableFuture<String> second = connection.get();
    assertThat(client.ended).containsExactly("one");
    client.openings.remove().complete("two");
    assertThat(second).isCompletedWithValue("two");
  }

  @Test
  void afterAFailureItIsNotOpenedAtOnce() {
    CompletableFuture<String> first = connection.get();
    client.openings.remove().completeExceptionally(new CompletionException(new Exception("no")));
    OutageException outage = failureOf(first);
    assertThat(outage).hasMessage("cannot connect: java.lang.Exception: no");
    assertThat(failureOf(connection.get())).isSameAs(outage);
    assertThat(client.openings).isEmpty();
    nanos.addAndGet(10_000_000_000L);
    assertThat(connection.get()).isNotDone();
    assertThat(client.openings).hasSize(1);
  }

  @Test
  void aClientThatThrowsIsAFailureToo() {
    client.refused = new IllegalStateException("no");
    assertThat(failureOf(connection.get())).hasMessageStartingWith("cannot connect: ");
  }

  @Test
  void afterTheEndThereIsNone() {
    connection.get();
    client.openings.remove().complete("one");
    connection.refuse();
    assertThat(failureOf(connection.get())).hasMessage("the publisher was closed");
    connection.close();
    assertThat(client.ended).containsExactly("one");
  }

  private static OutageException failureOf(CompletableFuture<String> future) {
    return (OutageException) future.handle((opened, failure) -> failure).join();
  }

  private static final class FakeClient implements SharedConnection.Client<String> {

    private final Queue<CompletableFuture<String>> openings = new ArrayDeque<>();
    private final List<String> over = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private RuntimeException refused;

    @Override
    public CompletionStage<String> open() {
      if (refused != null) {
        throw refused;
      }
      CompletableFuture<String> opening = new CompletableFuture<>();
      openings.add(opening);
      return opening;
    }

    @Override
    public boolean isOver(String connection) {
      return over.contains(connection);
    }

    @Override
    public void end(String connection) {
      ended.add(connection);
    }

    @Override
    public OutageException outage(Throwable failure) {
      return new OutageException("cannot connect: " + failure);
    }
  }
}
