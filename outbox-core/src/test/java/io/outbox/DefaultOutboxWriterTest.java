package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.model.EventStatus;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DefaultOutboxWriterTest {

  private enum Types implements EventType {
    PLACED
  }

  private final FakeDatabase database = new FakeDatabase();
  private final FakeStore store = new FakeStore(database);
  private final FakeTx tx = new FakeTx(database);
  private final List<String> log = new ArrayList<>();

  /** Logs what is called, and throws in the method named by {@code failing}. */
  private final class LoggingHook implements WriterHook {
    private final String failing;

    private LoggingHook(String failing) {
      this.failing = failing;
    }

    private void called(String method, List<EventEnvelope> events) {
      log.add(method + " " + events.stream().map(EventEnvelope::eventId).toList());
      if (method.equals(failing)) {
        throw new IllegalStateException("injected in " + method);
      }
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
      called("beforeWrite", events);
      return events;
    }

    @Override
    public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
      called("beforeInsert", events);
      return events.stream().map(NewEvent::unleased).toList();
    }

    @Override
    public void insertFailed(List<NewEvent> rows) {
      called("insertFailed", rows.stream().map(NewEvent::envelope).toList());
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
      called("afterWrite", events);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
      called("afterCommit", events);
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
      called("afterRollback", events);
    }
  }

  private DefaultOutboxWriter writer(WriterHook hook) {
    return new DefaultOutboxWriter(tx, store, hook);
  }

  private DefaultOutboxWriter replacing(Supplier<List<EventEnvelope>> events) {
    return writer(
        new WriterHook() {
          @Override
          public List<EventEnvelope> beforeWrite(List<EventEnvelope> original) {
            return events.get();
          }
        });
  }

  // ---- writing

  @Test
  void anEventIsInsertedInTheTransactionOfTheCaller() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    tx.begin();
    assertThat(writer.write(Events.event("e"))).isEqualTo("e");
    assertThat(store.has("e")).isFalse();
    tx.commit();

    assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(database.connections()).as("no connection of its own").isEqualTo(1);
  }

  @Test
  void typesAndPayloadsAreEnough() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    List<String> ids = new ArrayList<>();
    tx.run(
        () -> {
          ids.add(writer.write("Placed", "{\"a\":1}"));
          ids.add(writer.write(Types.PLACED, "[]"));
        });

    assertThat(store.row(ids.get(0)).eventType()).isEqualTo("Placed");
    assertThat(store.row(ids.get(0)).payloadJson()).isEqualTo("{\"a\":1}");
    assertThat(store.row(ids.get(1)).eventType()).isEqualTo("PLACED");
  }

  @Test
  void manyAreInsertedAtOnceInOrder() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    List<EventEnvelope> events = Events.events("e", 20).toList();
    tx.run(
        () ->
            assertThat(writer.writeAll(events))
                .isEqualTo(events.stream().map(EventEnvelope::eventId).toList()));

    assertThat(store.rows()).hasSize(20);
    assertThat(store.calls("insertAll")).isEqualTo(1);
  }

  @Test
  void nothingToWriteIsNothingWritten() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.run(() -> assertThat(writer.writeAll(List.of())).isEmpty());

    assertThat(store.calls("insertAll")).isZero();
    assertThat(tx.registrations()).isZero();
    assertThat(log)
        .as("a hook may add to it, and hears no more of it")
        .containsExactly("beforeWrite []");
  }

  @Test
  void aHookThatSuppressesABatchHearsNoMoreOfIt() {
    DefaultOutboxWriter writer =
        writer(
            new WriterHook() {
              private final LoggingHook logging = new LoggingHook(null);

              @Override
              public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                logging.beforeWrite(events);
                return List.of();
              }

              @Override
              public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
                return logging.beforeInsert(events);
              }

              @Override
              public void afterWrite(List<EventEnvelope> events) {
                logging.afterWrite(events);
              }

              @Override
              public void afterCommit(List<EventEnvelope> events) {
                logging.afterCommit(events);
              }
            });
    tx.run(() -> assertThat(writer.write(Events.event("e"))).isNull());

    assertThat(log).containsExactly("beforeWrite [e]");
    assertThat(store.calls("insertAll")).isZero();
    assertThat(tx.registrations()).isZero();
  }

  // ---- the context

  @Test
  void theContextIsCalledBeforeTheHook() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.onBeforeWrite(() -> log.add("context"));
    tx.run(() -> writer.writeAll(List.of(Events.event("a"), Events.event("b"))));

    assertThat(log).startsWith("context", "beforeWrite [a, b]").doesNotHaveDuplicates();
  }

  @Test
  void whatTheContextWritesComesFirst() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    tx.onBeforeWrite(
        () -> {
          tx.onBeforeWrite(() -> {});
          writer.write(Events.event("by a callback"));
        });
    store.before("insertAll", rows -> log.add(rows.toString()));
    tx.run(() -> writer.write(Events.event("a")));

    assertThat(log).hasSize(2);
    assertThat(log.get(0)).contains("by a callback");
    assertThat(store.rows()).hasSize(2);
  }

  @Test
  void whatTheContextThrowsReachesTheCallerAndNothingIsWritten() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.onBeforeWrite(
        () -> {
          throw new IllegalStateException("duplicate key");
        });
    tx.begin();
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessage("duplicate key");
    tx.commit();

    assertThat(log).isEmpty();
    assertThat(store.rows()).isEmpty();
  }

  @Test
  void R16_theContextIsNotCalledWhereAWriteIsRefused() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    tx.onBeforeWrite(() -> log.add("context"));

    assertThatIllegalStateException().isThrownBy(() -> writer.write(Events.event("a")));
    assertThat(log).isEmpty();
  }

  // ---- the hook

  @Test
  void theHookIsCalledAlongTheWayToTheCommit() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.begin();
    writer.writeAll(List.of(Events.event("a"), Events.event("b")));
    assertThat(log)
        .containsExactly("beforeWrite [a, b]", "beforeInsert [a, b]", "afterWrite [a, b]");
    tx.commit();

    assertThat(log).last().isEqualTo("afterCommit [a, b]");
    assertThat(log).hasSize(4);
  }

  @Test
  void theHookIsToldOfARollback() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.begin();
    writer.write(Events.event("a"));
    tx.rollback();

    assertThat(log).last().isEqualTo("afterRollback [a]");
    assertThat(log).doesNotContain("afterCommit [a]");
  }

  @Test
  void callbacksAreRegisteredOncePerBatch() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.run(
        () -> {
          writer.writeAll(Events.events("a", 10).toList());
          writer.writeAll(Events.events("b", 10).toList());
        });

    assertThat(tx.registrations()).as("one pair for each").isEqualTo(4);
    assertThat(log).filteredOn(entry -> entry.startsWith("afterCommit")).hasSize(2);
  }

  @Test
  void withoutAHookNoCallbackIsRegistered() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    tx.run(() -> writer.write(Events.event("a")));

    assertThat(tx.registrations()).isZero();
  }

  @Test
  void theHookMaySuppressAWrite() {
    tx.run(
        () -> {
          assertThat(replacing(() -> null).write(Events.event("a"))).isNull();
          assertThat(replacing(List::of).write(Events.event("b"))).isNull();
          assertThat(replacing(() -> null).writeAll(List.of(Events.event("c")))).isEmpty();
        });

    assertThat(store.rows()).isEmpty();
    assertThat(tx.registrations()).isZero();
  }

  @Test
  void theHookMayReplaceWhatIsWritten() {
    List<EventEnvelope> replacement = List.of(Events.event("x"), Events.event("y"));
    tx.run(
        () ->
            assertThat(replacing(() -> replacement).writeAll(List.of(Events.event("a"))))
                .containsExactly("x", "y"));

    assertThat(store.has("a")).isFalse();
    assertThat(store.has("x")).isTrue();
  }

  @Test
  void whatBeforeWriteThrowsReachesTheCaller() {
    DefaultOutboxWriter writer = writer(new LoggingHook("beforeWrite"));
    tx.begin();

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessage("injected in beforeWrite");
    tx.commit();
    assertThat(store.rows()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"beforeInsert", "afterWrite", "afterCommit"})
  void whatTheHookThrowsOtherwiseIsLoggedOnly(String method) {
    DefaultOutboxWriter writer = writer(new LoggingHook(method));
    tx.run(() -> assertThat(writer.write(Events.event("a"))).isEqualTo("a"));

    assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    assertThat(log).contains("afterCommit [a]");
    assertThat(CapturedLogs.of(DefaultOutboxWriter.class, Level.WARNING))
        .singleElement()
        .asString()
        .contains(method);
  }

  @Test
  void whatTheHookThrowsAfterARollbackIsLoggedOnly() {
    DefaultOutboxWriter writer = writer(new LoggingHook("afterRollback"));
    tx.begin();
    writer.write(Events.event("a"));
    tx.rollback();

    assertThat(CapturedLogs.of(DefaultOutboxWriter.class, Level.WARNING)).hasSize(1);
  }

  @Test
  void aHookThatLosesRowsBeforeTheInsertLosesNone() {
    DefaultOutboxWriter writer =
        writer(
            new WriterHook() {
              @Override
              public List<NewEvent> beforeInsert(List<EventEnvelope> events) {
                return List.of();
              }
            });
    tx.run(() -> writer.writeAll(List.of(Events.event("a"), Events.event("b"))));

    assertThat(store.rows()).hasSize(2);
  }

  @Test
  void theHookIsToldOfAFailedInsertAndOfNothingElse() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    store.before(
        "insertAll",
        rows -> {
          throw new IllegalStateException("injected");
        });
    tx.begin();
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessage("injected");
    tx.commit();

    assertThat(log).containsExactly("beforeWrite [a]", "beforeInsert [a]", "insertFailed [a]");
  }

  // ---- what is refused

  @Test
  void R17_anIdThatIsInTheBatchTwiceIsRefusedBeforeAnythingIsWritten() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));
    tx.begin();

    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> writer.writeAll(List.of(Events.event("a"), Events.event("b"), Events.event("a"))))
        .withMessageContaining("'a'");
    tx.commit();
    assertThat(store.rows()).isEmpty();
    assertThat(tx.registrations()).isZero();
  }

  @Test
  void R17_nullIsRefused() {
    DefaultOutboxWriter writer = new DefaultOutboxWriter(tx, store);
    tx.run(
        () -> {
          assertThatNullPointerException().isThrownBy(() -> writer.write((EventEnvelope) null));
          assertThatNullPointerException().isThrownBy(() -> writer.writeAll(null));
          assertThatNullPointerException()
              .isThrownBy(() -> writer.writeAll(Arrays.asList(Events.event("a"), null)));
        });
    assertThatNullPointerException().isThrownBy(() -> new DefaultOutboxWriter(null, store));
    assertThatNullPointerException().isThrownBy(() -> new DefaultOutboxWriter(tx, null));
    assertThatNullPointerException().isThrownBy(() -> new DefaultOutboxWriter(tx, store, null));
  }

  @Test
  void R16_outsideATransactionNothingIsWritten() {
    DefaultOutboxWriter writer = writer(new LoggingHook(null));

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessageContaining("no active transaction");
    assertThat(log).as("not even the hook is asked").isEmpty();
  }

  @Test
  void R16_theContextSaysWhyThereIsNoTransaction() {
    DefaultOutboxWriter writer =
        new DefaultOutboxWriter(
            context(
                false,
                () -> {
                  throw new IllegalStateException("it is another DataSource's");
                }),
            store);

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessageContaining("no active transaction")
        .withMessageContaining("it is another DataSource's");
  }

  @Test
  void R16_aConnectionInAutoCommitModeIsRefused() throws SQLException {
    Connection conn = database.getConnection();
    DefaultOutboxWriter writer = new DefaultOutboxWriter(context(true, () -> conn), store);

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessageContaining("auto-commit");
    assertThat(store.rows()).isEmpty();
  }

  @Test
  void R16_aReadOnlyTransactionIsRefused() throws SQLException {
    Connection conn = database.getConnection();
    conn.setAutoCommit(false);
    conn.setReadOnly(true);
    DefaultOutboxWriter writer = new DefaultOutboxWriter(context(true, () -> conn), store);

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessageContaining("read-only");
  }

  @Test
  void R16_aTransactionThatTakesNoCallbacksGetsNoRow() throws SQLException {
    Connection conn = database.getConnection();
    conn.setAutoCommit(false);
    DefaultOutboxWriter writer =
        new DefaultOutboxWriter(context(true, () -> conn), store, new LoggingHook(null));

    assertThatIllegalStateException()
        .isThrownBy(() -> writer.write(Events.event("a")))
        .withMessage("no synchronization");
    assertThat(store.calls("insertAll")).isZero();
  }

  private static TxContext context(boolean active, Supplier<Connection> connection) {
    return new TxContext() {
      @Override
      public boolean isTransactionActive() {
        return active;
      }

      @Override
      public Connection currentConnection() {
        return connection.get();
      }

      @Override
      public void afterCommit(Runnable callback) {
        throw new IllegalStateException("no synchronization");
      }

      @Override
      public void afterRollback(Runnable callback) {
        throw new IllegalStateException("no synchronization");
      }
    };
  }
}
