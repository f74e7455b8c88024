package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is delivered, and what is refused, in all sorts of JTA transactions. */
abstract class JtaTxContextScenarios {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final long NEVER = 600_000; // only the hot path delivers

  /** Of several statements, on every database. */
  private static final int LARGE_EVENTS = 20;

  private static final int TRANSACTIONS = 2_000;
  private static final int THREADS = 100;
  private static final int WRITING_THREADS = 4;

  private final TransactionManager manager = Narayana.ofTests().manager();
  private final RecordingListener listener = new RecordingListener();
  private final TestDatabase kind;
  private final Narayana.Part part;
  private Databases databases;
  private JtaTxContext txContext;
  private Outbox outbox;
  private OutboxWriter writer;

  JtaTxContextScenarios(TestDatabase kind, Narayana.Part part) {
    this.kind = kind;
    this.part = part;
  }

  @BeforeEach
  void open() throws SQLException {
    databases = Databases.of(kind, part);
    start(NEVER);
  }

  private void start(long intervalMs) {
    DataSource pool = databases.pool();
    txContext = new JtaTxContext(Narayana.ofTests().registry(), pool);
    outbox =
        Outbox.singleNode()
            .connectionProvider(new DataSourceConnectionProvider(pool))
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(pool))
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
            .intervalMs(intervalMs)
            .build();
    writer = outbox.writer();
  }

  @AfterEach
  void close() throws Exception {
    manager.setTransactionTimeout(0);
    if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
      manager.rollback();
    }
    outbox.close();
    Await.until(
        () -> "all connections back in the pool",
        SOON,
        () -> databases.pool().getMetrics().activeCount() == 0);
  }

  private void write(String type) {
    writer.write(type, "{}");
  }

  /** As business code does, with a handle of its own. */
  private void insertOrder(String id) throws SQLException {
    insertOrder(databases.pool(), id);
  }

  private static void insertOrder(DataSource dataSource, String id) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }

  private List<String> types() throws SQLException {
    return databases.column("SELECT event_type FROM outbox_event");
  }

  /** Exactly these were delivered and are in the table. */
  private void assertDelivered(String... types) throws SQLException {
    listener.awaitCount(types.length, SOON);
    outbox.close(); // delivers what is queued
    assertThat(listener.deliveries())
        .extracting(delivery -> delivery.event().eventType())
        .containsExactlyInAnyOrder(types);
    assertThat(types()).containsExactlyInAnyOrder(types);
  }

  private void assertRefused(String... words) {
    assertThat(txContext.isTransactionActive()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> write("refused"))
        .withMessageContainingAll(words);
  }

  @Test
  void R2_aCommitDeliversAndARollbackDoesNot() throws Exception {
    Narayana.ofTests().warnings().clear();
    manager.begin();
    insertOrder("A-1");
    write("committed");
    manager.commit();
    manager.begin();
    write("rolled back");
    insertOrder("A-2");
    manager.rollback();

    assertDelivered("committed");
    assertThat(databases.column("SELECT id FROM orders")).containsExactly("A-1");
    assertThat(Narayana.ofTests().warnings()).as("of the pool").isEmpty();
  }

  @Test
  void theEventIsInTheTransactionOfTheBusinessCode() throws Exception {
    manager.begin();
    write("uncommitted");
    try (Connection connection = databases.pool().getConnection();
        PreparedStatement update =
            connection.prepareStatement("UPDATE outbox_event SET attempts = 0")) {
      assertThat(update.executeUpdate()).isOne();
    }
    assertThat(types()).isEmpty();
    manager.rollback();

    assertDelivered();
  }

  @Test
  void R2_aNewTransactionInsideIsCommittedAndRolledBackAlone() throws Exception {
    manager.begin();
    write("outer is rolled back");
    Transaction outer = manager.suspend();
    manager.begin();
    write("inner is committed");
    manager.commit();
    listener.awaitCount(1, SOON);
    manager.resume(outer);
    manager.rollback();

    manager.begin();
    outer = manager.suspend();
    manager.begin();
    write("inner is rolled back");
    manager.rollback();
    manager.resume(outer);
    write("outer is committed");
    manager.commit();

    assertDelivered("inner is committed", "outer is committed");
  }

  @Test
  void R16_aWriteOutsideATransactionIsRefused() throws Exception {
    assertRefused("no JTA transaction", "@Transactional");

    manager.begin();
    write("resumed and committed");
    Transaction suspended = manager.suspend();
    assertRefused("no JTA transaction", "Resume");
    manager.resume(suspended);
    manager.commit();

    assertDelivered("resumed and committed");
  }

  @Test
  void R2_aTransactionMarkedRollbackOnlyDeliversNothing() throws Exception {
    manager.begin();
    write("before the mark");
    manager.setRollbackOnly();
    assertRefused("rollback-only");
    assertThatThrownBy(manager::commit).isInstanceOf(RollbackException.class);

    assertDelivered();
  }

  @Test
  void R2_aTransactionThatTimesOutDeliversNothing() throws Exception {
    manager.setTransactionTimeout(1);
    manager.begin();
    insertOrder("A-1");
    write("in time");
    Await.until(() -> "the timeout", SOON, () -> !txContext.isTransactionActive());
    assertRefused("ended", "timeout");
    assertThatThrownBy(manager::commit).isInstanceOf(Exception.class);
    manager.setTransactionTimeout(0);

    manager.begin();
    write("in the next transaction");
    manager.commit();
    assertDelivered("in the next transaction");
    assertThat(databases.column("SELECT id FROM orders")).isEmpty();
  }

  /** The timeout comes while statements are under way, on all connections. */
  @Test
  void R2_transactionsThatTimeOutInTheMiddleOfWritingLeaveNothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WRITING_THREADS);
    try {
      List<Callable<Integer>> work = Collections.nCopies(WRITING_THREADS, this::writeUntilRefused);
      for (Future<Integer> written : threads.invokeAll(work)) {
        assertThat(written.get()).isPositive();
      }
    } finally {
      threads.shutdownNow();
    }

    assertDelivered();
  }

  private int writeUntilRefused() throws Exception {
    manager.setTransactionTimeout(1);
    manager.begin();
    int written = 0;
    try {
      while (true) {
        write("until the timeout");
        written++;
      }
    } catch (RuntimeException e) {
      assertThat(txContext.isTransactionActive()).as(e.toString()).isFalse();
      return written;
    } finally {
      manager.rollback();
    }
  }

  @Test
  void R1_afterAHeuristicEndWhatWasCommittedIsDelivered() throws Exception {
    manager.begin();
    write("committed in this branch");
    manager.getTransaction().enlistResource(Branch.thatEndsWith(XAException.XA_HEURMIX));
    assertThatThrownBy(manager::commit).isInstanceOf(HeuristicMixedException.class);
    assertThat(types()).containsExactly("committed in this branch");
    outbox.close();

    start(100); // the poller finds it if it was not delivered from memory
    assertDelivered("committed in this branch");
  }

  /** 20 MB are several statements everywhere, which elsewhere a savepoint holds together. */
  private static List<EventEnvelope> largeBatch(String lastId) {
    String payload = "\"" + "x".repeat(1_000_000) + "\"";
    return IntStream.rangeClosed(1, LARGE_EVENTS)
        .mapToObj(
            i -> {
              EventEnvelope.Builder event = EventEnvelope.builder("Large").payloadJson(payload);
              return i == LARGE_EVENTS && lastId != null
                  ? event.eventId(lastId).build()
                  : event.build();
            })
        .toList();
  }

  @Test
  void aBatchOfSeveralStatementsIsCommitted() throws Exception {
    manager.begin();
    writer.writeAll(largeBatch(null));
    manager.commit();

    assertThat(types()).hasSize(LARGE_EVENTS);
  }

  @Test
  void R17_aBatchOfSeveralStatementsThatFailsTakesItsTransactionAlong() throws Exception {
    manager.begin();
    String existing = writer.write("existing", "{}");
    manager.commit();

    manager.begin();
    write("with the batch");
    assertThatThrownBy(() -> writer.writeAll(largeBatch(existing)))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining(existing);
    assertRefused("rollback-only");
    assertThatThrownBy(manager::commit).isInstanceOf(RollbackException.class);

    assertDelivered("existing");
  }

  @Test
  void R16_aDataSourceThatTakesNoPartInTransactionsIsRefused() throws Exception {
    DataSource plain = databases.database().dataSource();
    JtaTxContext context = new JtaTxContext(Narayana.ofTests().registry(), plain);
    manager.begin();
    assertThatIllegalStateException()
        .isThrownBy(context::currentConnection)
        .withMessageContainingAll("does not take part in JTA transactions", "auto-commit");
    manager.commit();
  }

  @Test
  void anEventIsCommittedWithTheDataOfAnotherDatabase() throws Exception {
    DataSource other = Databases.of(TestDatabase.H2, other(part)).pool();
    manager.begin();
    insertOrder(other, "A-1");
    write("in two databases");
    manager.commit();
    manager.begin();
    insertOrder(other, "A-2");
    write("in none");
    manager.rollback();

    assertDelivered("in two databases");
    assertThat(Databases.column(other, "SELECT id FROM orders")).containsExactly("A-1");
  }

  /** A transaction has one last resource at most. */
  private static Narayana.Part other(Narayana.Part part) {
    return part == Narayana.Part.XA ? Narayana.Part.LAST_RESOURCE : Narayana.Part.XA;
  }

  @Test
  void R3_manyTransactionsAtOnceDeliverEachEventOnce() throws Exception {
    outbox.close();
    start(100); // the poller comes across the same rows
    Set<String> committed = ConcurrentHashMap.newKeySet();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> work = new ArrayList<>();
      for (int i = 0; i < TRANSACTIONS; i++) {
        int number = i;
        work.add(
            () -> {
              place(number, committed);
              return null;
            });
      }
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }

    listener.awaitCount(committed.size(), SOON);
    outbox.close();
    assertThat(committed).hasSize(TRANSACTIONS - TRANSACTIONS / 10);
    assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(committed);
    assertThat(databases.column("SELECT id FROM orders")).hasSize(committed.size());
  }

  /** Every tenth is rolled back. */
  private void place(int number, Set<String> committed) throws Exception {
    manager.begin();
    insertOrder("A-" + number);
    String id = writer.write("OrderPlaced", "{}");
    if (number % 10 == 0) {
      manager.rollback();
    } else {
      manager.commit();
      committed.add(id);
    }
  }
}
