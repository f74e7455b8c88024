package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.WriterHook;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.model.EventStatus;
import io.outbox.operate.Condition;
import io.outbox.poller.OutboxPoller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The ways to build an outbox. */
class ModesTest extends DocsDatabase {

  @Test
  void oneNode() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: single-node
    try (Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(connectionProvider)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .workerCount(8)
            .build()) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    } // close() delivers what is queued, within drainTimeoutMs
    // end

    assertThat(listener.count()).isOne();
    assertThat(events(EventStatus.DONE)).isOne();
  }

  @Test
  void manyNodes() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: multi-node
    Outbox outbox =
        Outbox.multiNode()
            .connectionProvider(connectionProvider)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .claimLocking(Duration.ofMinutes(5)) // the same on every node
            .build();
    // end

    try (outbox) {
      for (int i = 0; i < 20; i++) {
        transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
      }
      awaitEvents(EventStatus.DONE, 20);
    }
    assertThat(listener.count()).isEqualTo(20);
  }

  private final List<String> said = new ArrayList<>();

  private void log(String verdict, String line) {
    said.add(verdict + " " + line);
  }

  @Test
  void conditions() {
    OutboxSchema.createOrderedByKey(dataSource);
    try (Outbox old = connected(Outbox.orderedByKey()).build();
        Outbox outbox = connected(Outbox.singleNode()).build()) {
      // snippet: conditions
      for (Condition condition : outbox.conditions()) {
        String line = condition.kind() + " since " + condition.since() + ": " + condition.message();
        log(condition.kind().isFailure() ? "unhealthy" : "healthy, but", line);
      }
      // end
      assertThat(old.conditions()).isEmpty();
    }
    assertThat(said).hasSize(1);
    assertThat(said.get(0)).startsWith("healthy, but WAITS_FOR_OTHER_MODE since ");
  }

  private <B extends Outbox.AbstractBuilder<B>> B connected(B builder) {
    return builder
        .connectionProvider(connectionProvider)
        .txContext(txContext)
        .outboxStore(store)
        .listenerRegistry(listeners);
  }

  @Test
  void inOrder() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: ordered
    Outbox outbox =
        Outbox.ordered()
            .connectionProvider(connectionProvider)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .intervalMs(200) // for rows from plain SQL; a commit of this process wakes the poller
            .build();
    // end

    List<EventEnvelope> events =
        IntStream.range(0, 200).mapToObj(i -> EventEnvelope.ofJson("OrderPlaced", "" + i)).toList();
    try (outbox) {
      transactions.run(tx -> outbox.writer().writeAll(events));
      awaitEvents(EventStatus.DONE, 200);
    }
    assertThat(listener.deliveredIds())
        .containsExactlyElementsOf(events.stream().map(EventEnvelope::eventId).toList());
  }

  @Test
  void inOrderByKey() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: ordered-by-key
    OutboxSchema.createOrderedByKey(dataSource); // what this mode needs beside the table

    Outbox outbox =
        Outbox.orderedByKey()
            .connectionProvider(connectionProvider)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .build();
    // end

    List<EventEnvelope> events =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    EventEnvelope.builder("OrderPlaced")
                        .orderingKey("customer-" + i % 10)
                        .payloadJson("" + i)
                        .build())
            .toList();
    try (outbox) {
      transactions.run(tx -> outbox.writer().writeAll(events));
      awaitEvents(EventStatus.DONE, 200);
    }
    for (int key = 0; key < 10; key++) {
      int mine = key;
      List<String> ids =
          IntStream.range(0, 200)
              .filter(i -> i % 10 == mine)
              .mapToObj(i -> events.get(i).eventId())
              .toList();
      assertThat(listener.deliveredIds().stream().filter(ids::contains))
          .containsExactlyElementsOf(ids);
    }
  }

  @Test
  void onlyWriting() throws Exception {
    // snippet: writer-only
    Outbox outbox =
        Outbox.writerOnly()
            .txContext(txContext)
            .outboxStore(store)
            .connectionProvider(connectionProvider) // for the purger
            .purger(new H2AgeBasedPurger()) // change data capture only: by age
            .purgeRetention(Duration.ofDays(1))
            .build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    }
    assertThat(events(EventStatus.NEW)).isOne();
  }

  @Test
  void fromParts() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: parts
    OutboxDispatcher dispatcher =
        OutboxDispatcher.builder()
            .connectionProvider(connectionProvider)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .build();
    OutboxPoller poller =
        OutboxPoller.builder()
            .connectionProvider(connectionProvider)
            .outboxStore(store)
            .handler(new DispatcherPollerHandler(dispatcher))
            .build();
    WriterHook hook = new DispatcherWriterHook(dispatcher);
    OutboxWriter writer = new DefaultOutboxWriter(txContext, store, hook);
    poller.start();
    // end

    transactions.run(tx -> writer.write("OrderPlaced", "{}"));
    awaitEvents(EventStatus.DONE, 1);
    // snippet: parts
    poller.close(); // first, so that it feeds the dispatcher no more
    dispatcher.close();
    // end
    assertThat(listener.count()).isOne();
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreads() throws Exception {
    listeners.register("OrderPlaced", listener);

    // snippet: virtual-threads
    Outbox outbox = singleNode().virtualThreads(true).workerCount(200).build();
    // end

    try (outbox) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    }
    assertThat(listener.count()).isOne();
  }
}
