package io.outbox.inbox;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spring.SpringTxContext;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What an inbox promises, on a real database. */
@Timeout(120)
abstract class InboxContract {

  private static final String CONSUMER = "billing";
  private static final int THREADS = 16;

  private final TestDatabase kind;
  private Database database;
  private HikariDataSource dataSource;
  private ExecutorService threads;
  private Inbox inbox;

  InboxContract(TestDatabase kind) {
    this.kind = kind;
  }

  @BeforeEach
  void create() throws SQLException {
    database = kind.fresh();
    dataSource = database.pooled(THREADS + 2);
    threads = Executors.newFixedThreadPool(THREADS);
    execute("CREATE TABLE invoice (event_id VARCHAR(255) NOT NULL)");
    execute("CREATE TABLE elsewhere (x INT)");
    InboxSchema.create(dataSource);
    inbox = Inbox.builder().dataSource(dataSource).build();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    database.close();
  }

  @Test
  void anEventIsProcessedOnce() throws SQLException {
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue();
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isFalse();
    assertThat(invoices()).containsExactly("e-1");
    assertThat(remembered()).containsExactly("billing e-1");
  }

  @Test
  void eachConsumerProcessesAnEventOnce() throws SQLException {
    assertThat(inbox.processOnce("e-1", "billing", conn -> invoice(conn, "e-1"))).isTrue();
    assertThat(inbox.processOnce("e-1", "shipping", conn -> invoice(conn, "e-1"))).isTrue();
    assertThat(inbox.processOnce("e-1", "shipping", conn -> invoice(conn, "e-1"))).isFalse();
    assertThat(invoices()).hasSize(2);
  }

  @Test
  void idsAreToldApartByCaseAndTrailingSpaceAndMayBeLong() throws SQLException {
    for (String id : List.of("a", "A", "a ", "ä", "\uD83D\uDE00", "x".repeat(255))) {
      assertThat(inbox.processOnce(id, CONSUMER, conn -> {})).as(id).isTrue();
      assertThat(inbox.processOnce(id, CONSUMER, conn -> {})).as(id).isFalse();
    }
    assertThat(inbox.processOnce("e-1", "c".repeat(128), conn -> {})).isTrue();
  }

  @Test
  void aFailedActionLeavesNothing() throws Exception {
    assertThatThrownBy(
            () ->
                inbox.processOnce(
                    "e-1",
                    CONSUMER,
                    conn -> {
                      invoice(conn, "e-1");
                      throw new IOException("the printer is on fire");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the printer is on fire");
    assertThat(invoices()).isEmpty();
    assertThat(remembered()).isEmpty();
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue();
    assertThat(invoices()).containsExactly("e-1");
  }

  @Test
  void anErrorOfTheDatabaseInTheActionLeavesNothing() throws SQLException {
    assertThatThrownBy(
            () -> inbox.processOnce("e-1", CONSUMER, conn -> execute(conn, "INSERT INTO nowhere")))
        .isInstanceOf(SQLException.class);
    assertThat(remembered()).isEmpty();
  }

  @Test
  void manyThreadsWithOneEventRunItsActionOnce() throws Exception {
    for (int round = 0; round < 10; round++) {
      String id = "e-" + round;
      AtomicInteger runs = new AtomicInteger();
      List<Boolean> results =
          race(
              () ->
                  inbox.processOnce(
                      id,
                      CONSUMER,
                      conn -> {
                        runs.incrementAndGet();
                        invoice(conn, id);
                      }));
      assertThat(results).hasSize(THREADS).containsOnlyOnce(true);
      assertThat(runs).hasValue(1);
    }
    assertThat(invoices()).hasSize(10).doesNotHaveDuplicates();
  }

  /** Those that wait for a transaction that fails are let in one after the other. */
  @Test
  void whenTheFirstOfManyFailsOneOfTheOthersSucceeds() throws Exception {
    for (int round = 0; round < 10; round++) {
      String id = "e-" + round;
      AtomicInteger runs = new AtomicInteger();
      List<Boolean> results =
          race(
              () -> {
                try {
                  return inbox.processOnce(
                      id,
                      CONSUMER,
                      conn -> {
                        invoice(conn, id);
                        if (runs.incrementAndGet() == 1) {
                          throw new IOException("the first fails");
                        }
                      });
                } catch (IOException e) {
                  return null;
                }
              });
      assertThat(results).containsOnlyOnce(true).containsOnlyOnce((Boolean) null);
      assertThat(runs).hasValue(2);
    }
    assertThat(invoices()).hasSize(10).doesNotHaveDuplicates();
  }

  @Test
  void aSecondDeliveryWaitsForTheFirstAndIsADuplicate() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Future<Boolean> first =
        threads.submit(
            () ->
                inbox.processOnce(
                    "e-1",
                    CONSUMER,
                    conn -> {
                      running.countDown();
                      assertThat(goOn.await(30, SECONDS)).isTrue();
                    }));
    assertThat(running.await(30, SECONDS)).isTrue();
    CountDownLatch asked = new CountDownLatch(1);
    Future<Boolean> second =
        threads.submit(
            () -> {
              asked.countDown();
              return inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"));
            });
    assertThat(asked.await(30, SECONDS)).isTrue();
    awaitWaitingInsert(second);
    goOn.countDown();
    assertThat(first.get(30, SECONDS)).isTrue();
    assertThat(second.get(30, SECONDS)).isFalse();
    assertThat(invoices()).isEmpty();
  }

  /** As far as the database tells that somebody waits; otherwise that it has not ended. */
  private void awaitWaitingInsert(Future<?> second) {
    String sql =
        switch (kind) {
          case POSTGRES -> "SELECT count(*) FROM pg_locks WHERE NOT granted";
          case H2 ->
              "SELECT count(*) FROM information_schema.sessions WHERE executing_statement"
                  + " LIKE 'INSERT INTO inbox_event%'";
          default ->
              "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
        };
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> second.isDone() || count(dataSource, sql) > 0);
    assertThat(second).isNotDone();
  }

  @Test
  void whoeverHoldsAnEventTooLongIsReportedAndNothingRemains() throws Exception {
    DataSource impatient = impatient();
    try (Connection holder = dataSource.getConnection()) {
      holder.setAutoCommit(false);
      execute(holder, "INSERT INTO inbox_event VALUES ('billing', 'e-1', '2026-01-01 00:00:00')");
      Inbox other = Inbox.builder().dataSource(impatient).build();
      assertThatThrownBy(() -> other.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1")))
          .isInstanceOf(InboxException.class)
          .hasMessageStartingWith(
              "could not remember event e-1 for consumer billing (inbox table inbox_event):"
                  + " another transaction held a lock for too long")
          .hasCauseInstanceOf(SQLException.class);
      holder.rollback();
      assertThat(other.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue();
    }
    assertThat(invoices()).containsExactly("e-1");
  }

  private DataSource impatient() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setUsername(database.user());
    pool.setPassword(database.password());
    pool.setMaximumPoolSize(1);
    pool.setConnectionInitSql(
        switch (kind) {
          case POSTGRES -> "SET lock_timeout = '300ms'";
          case H2 -> "SET LOCK_TIMEOUT 300";
          default -> "SET innodb_lock_wait_timeout = 1";
        });
    closeLater.add(pool);
    return pool;
  }

  private final List<HikariDataSource> closeLater = new ArrayList<>();

  @AfterEach
  void closePools() {
    closeLater.forEach(HikariDataSource::close);
  }

  /** A process that dies is a connection that ends without a commit. */
  @Test
  void aConnectionThatBreaksInTheMiddleLeavesNothing() throws SQLException {
    Inbox unpooled = Inbox.builder().dataSource(database.dataSource()).build();
    assertThatThrownBy(
            () ->
                unpooled.processOnce(
                    "e-1",
                    CONSUMER,
                    conn -> {
                      invoice(conn, "e-1");
                      if (kind == TestDatabase.H2) {
                        conn.close(); // it cannot be aborted
                      } else {
                        conn.abort(Runnable::run);
                      }
                    }))
        .isInstanceOf(InboxException.class)
        .hasMessageStartingWith("could not commit what was done for event e-1");
    await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(remembered()).isEmpty());
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue();
    assertThat(invoices()).containsExactly("e-1");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void everyIsolationKeepsThePromise(int isolation) throws Exception {
    Inbox isolated =
        Inbox.builder()
            .connectionProvider(
                () -> {
                  Connection conn = dataSource.getConnection();
                  conn.setTransactionIsolation(isolation); // the pool resets it
                  return conn;
                })
            .build();
    for (int round = 0; round < 5; round++) {
      String id = "e-" + round;
      List<Object> results =
          race(
              () -> {
                try {
                  return isolated.processOnce(id, CONSUMER, conn -> invoice(conn, id));
                } catch (InboxException e) {
                  return e; // delivered again below
                }
              });
      results.stream()
          .filter(InboxException.class::isInstance)
          .forEach(e -> assertThat((InboxException) e).hasMessageContaining("in the way"));
      assertThat(results).filteredOn(Boolean.TRUE::equals).hasSizeLessThanOrEqualTo(1);
      isolated.processOnce(id, CONSUMER, conn -> invoice(conn, id));
    }
    assertThat(invoices()).hasSize(5).doesNotHaveDuplicates();
  }

  /** The snapshot of the caller's transaction is older than what another has remembered since. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void anOldSnapshotDoesNotLetADuplicateThrough(int isolation) throws Exception {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();
    try (var tx = transactions.begin()) {
      tx.connection().setTransactionIsolation(isolation);
      count(tx.connection(), "SELECT count(*) FROM elsewhere");
      threads
          .submit(() -> inbox.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1")))
          .get(30, SECONDS);
      boolean refused;
      try {
        refused = !joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"));
      } catch (InboxException e) {
        assertThat(e).hasMessageContaining("another transaction interfered");
        refused = true;
      }
      assertThat(refused).isTrue();
      tx.rollback();
    }
    assertThat(invoices()).containsExactly("e-1");
  }

  @Test
  void connectionsComeBackAsTheyWere() throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (HikariDataSource pool = new HikariDataSource()) {
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(1);
        pool.setAutoCommit(autoCommit);
        Inbox pooled = Inbox.builder().dataSource(pool).build();
        String id = "auto-commit " + autoCommit;
        assertThat(pooled.processOnce(id, CONSUMER, conn -> invoice(conn, id))).isTrue();
        assertThat(pooled.processOnce(id, CONSUMER, conn -> invoice(conn, id))).isFalse();
        assertThat(pooled.purge(Instant.EPOCH, 10)).isZero();
        try (Connection conn = pool.getConnection()) {
          assertThat(conn.getAutoCommit()).isEqualTo(autoCommit);
        }
        assertThat(invoices()).contains(id);
      }
    }
    assertThat(remembered()).hasSize(2);
  }

  @Test
  void theSameConnectionOutsideAPoolIsGivenBackAsItCame() throws SQLException {
    try (Connection conn = database.dataSource().getConnection()) {
      Inbox same = Inbox.builder().connectionProvider(() -> Unclosed.of(conn)).build();
      assertThat(same.processOnce("e-1", CONSUMER, c -> {})).isTrue();
      assertThat(conn.getAutoCommit()).isTrue();
      assertThatThrownBy(
              () ->
                  same.processOnce(
                      "e-2",
                      CONSUMER,
                      c -> {
                        throw new IllegalStateException("no");
                      }))
          .hasMessage("no");
      assertThat(conn.getAutoCommit()).isTrue();
      assertThat(remembered()).containsExactly("billing e-1");
    }
  }

  // in the caller's transaction

  @Test
  void itJoinsTheTransactionOfItsCaller() throws SQLException {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();

    assertThatThrownBy(() -> joined.processOnce("e-1", CONSUMER, conn -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("there is no active transaction: this inbox works in");

    try (var tx = transactions.begin()) {
      assertThat(joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue();
      assertThat(joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isFalse();
      tx.rollback();
    }
    assertThat(remembered()).isEmpty();

    transactions.run(
        tx ->
            assertThat(joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))).isTrue());
    transactions.run(
        tx ->
            assertThat(joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1")))
                .isFalse());
    assertThat(invoices()).containsExactly("e-1");
    assertThat(remembered()).containsExactly("billing e-1");
  }

  @Test
  void aTransactionGoesOnAfterADuplicate() throws SQLException {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();
    inbox.processOnce("e-1", CONSUMER, conn -> {});
    transactions.run(
        tx -> {
          assertThat(joined.processOnce("e-1", CONSUMER, conn -> {})).isFalse();
          assertThat(joined.processOnce("e-2", CONSUMER, conn -> invoice(conn, "e-2"))).isTrue();
        });
    assertThat(invoices()).containsExactly("e-2");
  }

  @Test
  void aCallerThatCommitsInSpiteOfAFailureLeavesNoRow() throws SQLException {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();
    transactions.run(
        tx -> {
          assertThatThrownBy(
                  () ->
                      joined.processOnce(
                          "e-1",
                          CONSUMER,
                          conn -> {
                            throw new IOException("no");
                          }))
              .isInstanceOf(IOException.class);
          invoice(tx.connection(), "something else");
        });
    assertThat(remembered()).isEmpty();
    assertThat(invoices()).containsExactly("something else");
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> {})).isTrue();
  }

  /**
   * As when a lock timeout of MariaDB ends the whole transaction, by innodb_rollback_on_timeout.
   */
  @Test
  void whatAnotherRememberedAfterARollbackStays() throws SQLException {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();
    transactions.run(
        tx ->
            assertThatThrownBy(
                    () ->
                        joined.processOnce(
                            "e-1",
                            CONSUMER,
                            conn -> {
                              conn.rollback();
                              inbox.processOnce("e-1", CONSUMER, c -> {});
                              throw new IOException("no");
                            }))
                .isInstanceOf(IOException.class));
    assertThat(remembered()).containsExactly("billing e-1");
  }

  /** MariaDB takes back the whole transaction, from 11.6.2 on even without asking for it. */
  @Test
  void whatAnotherRememberedAfterAChangedRecordStays() throws SQLException {
    Assumptions.assumeTrue(kind == TestDatabase.MARIADB);
    execute("INSERT INTO elsewhere VALUES (1)");
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined =
        Inbox.builder()
            .txContext(txContext)
            .clock(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC))
            .build();
    Inbox other =
        Inbox.builder()
            .dataSource(dataSource)
            .clock(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC))
            .build();
    transactions.run(
        tx -> {
          execute(tx.connection(), "SET SESSION innodb_snapshot_isolation = ON");
          assertThatThrownBy(
                  () ->
                      joined.processOnce(
                          "e-1",
                          CONSUMER,
                          conn -> {
                            count(conn, "SELECT count(*) FROM elsewhere");
                            execute("UPDATE elsewhere SET x = 2");
                            try {
                              execute(conn, "UPDATE elsewhere SET x = 3");
                            } finally {
                              other.processOnce("e-1", CONSUMER, c -> {});
                            }
                          }))
              .isInstanceOf(SQLException.class)
              .hasMessageContaining("Record has changed");
        });
    assertThat(remembered()).containsExactly("billing e-1");
  }

  @Test
  void manyThreadsInTransactionsOfTheirOwnRunAnActionOnce() throws Exception {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    Inbox joined = Inbox.builder().txContext(txContext).build();
    List<Boolean> results =
        race(
            () ->
                transactions.call(
                    tx -> joined.processOnce("e-1", CONSUMER, conn -> invoice(conn, "e-1"))));
    assertThat(results).containsOnlyOnce(true);
    assertThat(invoices()).containsExactly("e-1");
  }

  @Test
  void itJoinsATransactionOfSpring() throws SQLException {
    Inbox joined = Inbox.builder().txContext(new SpringTxContext(dataSource)).build();
    TransactionTemplate transactional =
        new TransactionTemplate(new DataSourceTransactionManager(dataSource));

    assertThatThrownBy(() -> joined.processOnce("e-1", CONSUMER, conn -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("there is no active transaction");

    transactional.executeWithoutResult(
        status -> {
          assertThat(processed(joined, "e-1")).isTrue();
          status.setRollbackOnly();
        });
    assertThat(remembered()).isEmpty();
    transactional.executeWithoutResult(status -> assertThat(processed(joined, "e-1")).isTrue());
    transactional.executeWithoutResult(status -> assertThat(processed(joined, "e-1")).isFalse());
    assertThat(invoices()).containsExactly("e-1");
  }

  private static boolean processed(Inbox joined, String id) {
    try {
      return joined.processOnce(id, CONSUMER, conn -> invoice(conn, id));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  // purge and schema

  @Test
  void oldEventsAreForgottenInBatches() throws SQLException {
    Instant old = Instant.parse("2026-01-01T00:00:00Z");
    Inbox then =
        Inbox.builder().dataSource(dataSource).clock(Clock.fixed(old, ZoneOffset.UTC)).build();
    for (int i = 0; i < 25; i++) {
      then.processOnce("old-" + i, CONSUMER, conn -> {});
    }
    inbox.processOnce("new", CONSUMER, conn -> {});

    assertThat(inbox.purge(old, 10)).isZero();
    assertThat(inbox.purge(old.plusNanos(1000), 10)).isEqualTo(10);
    assertThat(count(dataSource, "SELECT count(*) FROM inbox_event")).isEqualTo(16);

    OutboxPurgeScheduler.builder()
        .connectionProvider(dataSource::getConnection)
        .purger(inbox.purger())
        .retention(Duration.ofHours(1))
        .batchSize(10)
        .build()
        .runOnce();
    assertThat(remembered()).containsExactly("billing new");
    try (Connection conn = dataSource.getConnection()) {
      assertThat(conn.getAutoCommit()).isTrue();
    }
    assertThat(then.processOnce("old-1", CONSUMER, conn -> {})).isTrue();
  }

  @Test
  void severalNodesMayForgetAtOnce() throws Exception {
    Inbox then =
        Inbox.builder()
            .dataSource(dataSource)
            .clock(Clock.fixed(Instant.EPOCH.plusSeconds(100_000), ZoneOffset.UTC))
            .build();
    for (int i = 0; i < 200; i++) {
      then.processOnce("old-" + i, CONSUMER, conn -> {});
    }
    Instant before = Instant.now().minusSeconds(60);
    List<Integer> counts =
        race(
            () -> {
              try {
                return inbox.purge(before, 50);
              } catch (InboxException e) {
                assertThat(e).hasMessageContaining("in the way");
                return 0;
              }
            });
    assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isBetween(50, 200);
    while (inbox.purge(before, 50) > 0) {
      // goes on
    }
    assertThat(remembered()).isEmpty();
  }

  @Test
  void timesAreUtc() throws SQLException {
    Instant instant = Instant.parse("2026-03-29T01:30:00.123456Z");
    Inbox then =
        Inbox.builder().dataSource(dataSource).clock(Clock.fixed(instant, ZoneOffset.UTC)).build();
    then.processOnce("e-1", CONSUMER, conn -> {});
    String sql =
        switch (kind) {
          case POSTGRES ->
              "SELECT to_char(processed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
                  + " FROM inbox_event";
          case H2 ->
              "SELECT CAST(processed_at AT TIME ZONE 'UTC' AS TIMESTAMP(6))||'' FROM inbox_event";
          default -> "SELECT CAST(processed_at AS CHAR) FROM inbox_event";
        };
    assertThat(texts(sql)).containsExactly("2026-03-29 01:30:00.123456");
  }

  @Test
  void theTableMayHaveAnotherName() throws SQLException {
    InboxSchema.create(dataSource, "received");
    Inbox other = Inbox.builder().dataSource(dataSource).tableName("received").build();
    assertThat(other.processOnce("e-1", CONSUMER, conn -> {})).isTrue();
    assertThat(other.processOnce("e-1", CONSUMER, conn -> {})).isFalse();
    assertThat(texts("SELECT event_id FROM received")).containsExactly("e-1");
  }

  @Test
  void nodesThatStartTogetherCreateOneTable() throws Exception {
    execute("DROP TABLE inbox_event");
    race(
        () -> {
          InboxSchema.create(dataSource);
          return null;
        });
    InboxSchema.create(dataSource);
    assertThat(inbox.processOnce("e-1", CONSUMER, conn -> {})).isTrue();
  }

  @Test
  void aMissingTableIsReported() throws SQLException {
    execute("DROP TABLE inbox_event");
    assertThatThrownBy(() -> inbox.processOnce("e-1", CONSUMER, conn -> {}))
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("the table or a column is missing")
        .hasMessageContaining("InboxSchema.create(dataSource, \"inbox_event\")");
    assertThatThrownBy(() -> InboxSchema.validate(dataSource)).isInstanceOf(InboxException.class);
    execute("CREATE TABLE inbox_event (x INT)");
    assertThatThrownBy(() -> InboxSchema.create(dataSource)).isInstanceOf(InboxException.class);
  }

  private <T> List<T> race(Callable<T> call) throws Exception {
    CyclicBarrier start = new CyclicBarrier(THREADS);
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      futures.add(
          threads.submit(
              () -> {
                start.await(30, SECONDS);
                return call.call();
              }));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get(60, SECONDS));
    }
    return results;
  }

  private static void invoice(Connection conn, String id) throws SQLException {
    try (PreparedStatement insert = conn.prepareStatement("INSERT INTO invoice VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }

  private List<String> invoices() throws SQLException {
    return texts("SELECT event_id FROM invoice");
  }

  private List<String> remembered() throws SQLException {
    return texts("SELECT CONCAT(consumer, ' ', event_id) FROM inbox_event");
  }

  private List<String> texts(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  private static int count(DataSource dataSource, String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return count(conn, sql);
    }
  }

  private static int count(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      execute(conn, sql);
    }
  }

  private static void execute(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }
}
