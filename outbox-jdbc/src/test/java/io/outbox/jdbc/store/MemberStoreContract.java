package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.internal.store.StoreSession;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberStore;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a {@link MemberStore} must do on every database. */
abstract class MemberStoreContract {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Target target;
  private Database database;
  private DataSource dataSource;
  private OutboxStore store;
  private MemberStore members;
  private StoreSession session;

  MemberStoreContract(Target target) {
    this.target = target;
  }

  @BeforeEach
  void create() {
    database = target.fresh();
    dataSource = target.dataSource(database);
    OutboxSchema.create(dataSource);
    store = target.store("outbox_event");
    members = store.members().orElseThrow();
    session = new StoreSession(dataSource::getConnection, store);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private boolean beat(String node, DeliveryMode mode, Duration lifetime) {
    return beat(node, mode, lifetime, null);
  }

  private boolean beat(String node, DeliveryMode mode, Duration lifetime, String detail) {
    return session.persistently(conn -> members.beat(conn, node, mode, lifetime, detail));
  }

  private List<Member> list() {
    return session.read(members::list);
  }

  private void leave(String node) {
    session.inTransaction(
        conn -> {
          members.leave(conn, node);
          return null;
        });
  }

  @Test
  void R22_nodesOfOneModeDeliverTogetherAndThoseOfAnotherWait() {
    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(beat("c", DeliveryMode.ORDERED_BY_KEY, LONG)).isFalse();
    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(list())
        .extracting(Member::node, Member::mode, Member::delivers)
        .containsExactlyInAnyOrder(
            tuple("a", "MULTI_NODE", true),
            tuple("b", "MULTI_NODE", true),
            tuple("c", "ORDERED_BY_KEY", false));

    leave("a");
    assertThat(beat("c", DeliveryMode.ORDERED_BY_KEY, LONG)).isFalse();
    leave("b");
    assertThat(beat("c", DeliveryMode.ORDERED_BY_KEY, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.MULTI_NODE, LONG)).isFalse();
  }

  @Test
  void R22_aNodeThatIsNotHeardOfIsPassedOverAndHasToBeginAgain() {
    assertThat(beat("a", DeliveryMode.MULTI_NODE, SHORT)).isTrue();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> beat("b", DeliveryMode.ORDERED_BY_KEY, LONG));

    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isFalse();
    assertThat(list())
        .extracting(Member::node, Member::delivers)
        .containsExactlyInAnyOrder(tuple("b", true), tuple("a", false));
  }

  @Test
  void R22_aLateBeatCountsWhenNobodyElseHasBegun() {
    assertThat(beat("a", DeliveryMode.MULTI_NODE, SHORT)).isTrue();
    await().atMost(Duration.ofSeconds(60)).until(() -> list().isEmpty());
    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.ORDERED_BY_KEY, LONG)).isFalse();
  }

  @Test
  void R24_whatNodesSayAboutThemselvesIsKeptUntilTheirNextBeat() {
    beat("a", DeliveryMode.MULTI_NODE, LONG, "{\"first\":1}");
    beat("b", DeliveryMode.MULTI_NODE, LONG);
    beat("c", DeliveryMode.ORDERED_BY_KEY, LONG, "{\"waits\":1}");
    assertThat(list())
        .extracting(Member::node, Member::detail)
        .containsExactlyInAnyOrder(
            tuple("a", "{\"first\":1}"), tuple("b", null), tuple("c", "{\"waits\":1}"));

    beat("a", DeliveryMode.MULTI_NODE, LONG, "{\"second\":2}");
    beat("c", DeliveryMode.ORDERED_BY_KEY, LONG);
    assertThat(list())
        .extracting(Member::node, Member::detail)
        .contains(tuple("a", "{\"second\":2}"), tuple("c", null));
  }

  @Test
  void R24_theLongestDetailWithTheOddestCharactersCanBeStored() {
    MemberDetail detail = OddDetails.many();
    beat("a", DeliveryMode.MULTI_NODE, LONG, detail.write());
    beat("a", DeliveryMode.MULTI_NODE, LONG, detail.write());
    assertThat(list()).extracting(Member::detail).containsExactly(detail.write());
    assertThat(MemberDetail.read(list().get(0).detail()).outages()).isNotEmpty();
  }

  @Test
  void waitingNodesDoNotKeepEachOtherWaiting() {
    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.ORDERED_BY_KEY, LONG)).isFalse();
    assertThat(beat("c", DeliveryMode.SINGLE_NODE, LONG)).isFalse();
    leave("a");
    assertThat(beat("c", DeliveryMode.SINGLE_NODE, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.ORDERED_BY_KEY, LONG)).isFalse();
  }

  @Test
  void aListWithoutItsGuardIsRepaired() throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.executeUpdate("DELETE FROM outbox_event_member");
    }
    assertThat(beat("a", DeliveryMode.MULTI_NODE, LONG)).isTrue();
    assertThat(beat("b", DeliveryMode.ORDERED, LONG)).isFalse();
    assertThat(list()).extracting(Member::node).containsExactlyInAnyOrder("a", "b");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void R22_ofNodesThatBeginTogetherThoseOfOneModeDeliver(int isolation) throws Exception {
    StoreSession isolated =
        new StoreSession(
            () -> {
              Connection conn = dataSource.getConnection();
              conn.setTransactionIsolation(isolation);
              return conn;
            },
            store);
    DeliveryMode[] modes = DeliveryMode.values();
    ExecutorService nodes = Executors.newFixedThreadPool(modes.length);
    try {
      for (int round = 0; round < 15; round++) {
        List<Callable<Boolean>> starts = new ArrayList<>();
        for (DeliveryMode mode : modes) {
          starts.add(
              () ->
                  isolated.persistently(conn -> members.beat(conn, mode.name(), mode, LONG, null)));
        }
        int delivering = 0;
        for (Future<Boolean> start : nodes.invokeAll(starts)) {
          delivering += start.get() ? 1 : 0;
        }
        assertThat(delivering).as("round %s", round).isOne();
        assertThat(list()).filteredOn(Member::delivers).hasSize(1);
        for (DeliveryMode mode : modes) {
          leave(mode.name());
        }
      }
    } finally {
      nodes.shutdownNow();
    }
  }
}
