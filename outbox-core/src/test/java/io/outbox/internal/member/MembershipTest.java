package io.outbox.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.RecordingMetrics;
import io.outbox.internal.Conditions;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberStore;
import io.outbox.spi.OutboxStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

/** R22: one mode delivers from a table at a time, and a second process is noticed. */
class MembershipTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** Answers what it is told to. */
  private static final class FakeMembers implements MemberStore {
    volatile boolean installed = true;
    volatile boolean admits = true;
    volatile RuntimeException failure;
    final List<Member> members = new CopyOnWriteArrayList<>();
    final List<String> left = new CopyOnWriteArrayList<>();
    final List<String> details = new CopyOnWriteArrayList<>();

    @Override
    public boolean isInstalled(Connection conn) {
      return installed;
    }

    @Override
    public boolean beat(
        Connection conn, String node, DeliveryMode mode, Duration lifetime, String detail) {
      if (failure != null) {
        throw failure;
      }
      details.add(String.valueOf(detail));
      return admits;
    }

    @Override
    public void leave(Connection conn, String node) {
      left.add(node);
    }

    @Override
    public List<Member> list(Connection conn) {
      return List.copyOf(members);
    }
  }

  private final FakeDatabase database = new FakeDatabase();
  private final FakeMembers members = new FakeMembers();
  private final AtomicLong nanos = new AtomicLong();
  private final Conditions conditions = new Conditions(() -> START);
  private final List<Boolean> told = new ArrayList<>();
  private final RecordingMetrics metrics = new RecordingMetrics();
  private volatile Supplier<MemberDetail> detail = () -> MemberDetail.NONE;

  private Membership membership(DeliveryMode mode) {
    StoreSession session = new StoreSession(database, store());
    return new Membership(
        session,
        "me",
        mode,
        new MemberReport("me", mode, conditions, metrics),
        () -> detail.get(),
        told::add,
        nanos::get);
  }

  /** A fake store with a list of nodes. */
  private OutboxStore store() {
    FakeStore store = new FakeStore(database);
    return (OutboxStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {OutboxStore.class},
            (proxy, method, args) ->
                method.getName().equals("members")
                    ? Optional.of(members)
                    : method.invoke(store, args));
  }

  private static Member member(String node, DeliveryMode mode, int started, int beat) {
    return new Member(
        node,
        mode.name(),
        true,
        START.plusSeconds(started),
        START.plusSeconds(beat),
        START.plusSeconds(beat + 15),
        null);
  }

  private List<Kind> conditions() {
    return conditions.list().stream().map(Condition::kind).toList();
  }

  @Test
  void R22_nothingIsDeliveredBeforeTheFirstAnswer() {
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    assertThat(membership.mayDeliver()).isFalse();
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isTrue();
    assertThat(told).containsExactly(true);
    assertThat(conditions()).isEmpty();
  }

  @Test
  void R22_whoIsNotRenewedStopsByItselfBeforeOthersMayBegin() {
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.beatSafely();
    nanos.addAndGet(Duration.ofSeconds(13).toNanos());
    assertThat(membership.mayDeliver()).isTrue();
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(membership.mayDeliver()).isFalse();

    members.failure = new IllegalStateException(new SQLException("gone", "08006"));
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isFalse();
    assertThat(told).containsExactly(true, false);

    members.failure = null;
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isTrue();
    assertThat(told).containsExactly(true, false, true);
  }

  @Test
  void R22_aNodeOfAnotherModeWaitsAndSaysSo() {
    members.admits = false;
    members.members.add(member("other", DeliveryMode.MULTI_NODE, 0, 1));
    Membership membership = membership(DeliveryMode.ORDERED_BY_KEY);
    membership.beatSafely();

    assertThat(membership.mayDeliver()).isFalse();
    assertThat(conditions()).containsExactly(Kind.WAITS_FOR_OTHER_MODE);
    assertThat(conditions.list().get(0).message())
        .contains("other, MULTI_NODE", "orderedByKey()", "15 s");
    assertThat(CapturedLogs.of(Conditions.class, Level.WARNING)).hasSize(1);

    members.admits = true;
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isTrue();
    assertThat(conditions()).isEmpty();
  }

  @Test
  void R22_aSecondProcessInAModeForOneIsReported() {
    members.members.add(member("me", DeliveryMode.SINGLE_NODE, 5, 6));
    members.members.add(member("other", DeliveryMode.SINGLE_NODE, 0, 4));
    Membership membership = membership(DeliveryMode.SINGLE_NODE);
    membership.beatSafely();
    assertThat(conditions()).as("it may have died before").isEmpty();

    members.members.set(1, member("other", DeliveryMode.SINGLE_NODE, 0, 7));
    membership.beatSafely();
    assertThat(conditions()).containsExactly(Kind.SECOND_PROCESS);
    assertThat(metrics.secondProcesses()).isEqualTo(1);
    assertThat(conditions.list().get(0).message()).contains("other", "multiNode()");
    assertThat(membership.mayDeliver()).isTrue();

    members.members.remove(1);
    membership.beatSafely();
    assertThat(metrics.secondProcesses()).isZero();
    assertThat(conditions()).isEmpty();
  }

  @Test
  void R22_manyProcessesInAModeForManyAreNormal() {
    members.members.add(member("me", DeliveryMode.MULTI_NODE, 0, 6));
    members.members.add(member("other", DeliveryMode.MULTI_NODE, 0, 6));
    membership(DeliveryMode.MULTI_NODE).beatSafely();
    assertThat(conditions()).isEmpty();
  }

  @Test
  void withoutTheListItDeliversAsBeforeAndSaysSoOnce() {
    members.installed = false;
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.beatSafely();
    membership.beatSafely();

    assertThat(membership.mayDeliver()).isTrue();
    assertThat(CapturedLogs.of(Membership.class, Level.WARNING))
        .singleElement()
        .asString()
        .contains("not kept apart", "its table is missing");

    members.installed = true;
    members.admits = false;
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isFalse();
  }

  @Test
  void aListThatTheDatabaseRefusesDoesNotKeepEventsWaiting() {
    members.failure = new IllegalStateException(new SQLException("denied", "42501"));
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.beatSafely();
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isFalse();
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isTrue();
  }

  @Test
  void aDatabaseThatIsAwayKeepsANewNodeWaiting() {
    members.failure = new IllegalStateException(new SQLException("gone", "08006"));
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    for (int i = 0; i < 10; i++) {
      membership.beatSafely();
    }
    assertThat(membership.mayDeliver()).isFalse();
  }

  @Test
  void aNodeThatEndsIsForgottenAtOnceUnlessSomethingStillRuns() {
    Membership gentle = membership(DeliveryMode.MULTI_NODE);
    gentle.start();
    gentle.close(true);
    await().until(() -> members.left, List.of("me")::equals);

    Membership forced = membership(DeliveryMode.MULTI_NODE);
    forced.start();
    forced.close(false);
    assertThat(members.left).hasSize(1);
  }

  private static MemberDetail lacks(String eventType) {
    return new MemberDetail(
        List.of(), List.of(new MissingListener(new EventRoute("Order", eventType), START)));
  }

  @Test
  void R24_whatTheNodeSaysAboutItselfGoesWithEachBeat() {
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.beatSafely();
    detail = () -> lacks("Placed");
    membership.beatSafely();
    assertThat(members.details).containsExactly("null", lacks("Placed").write());
  }

  @Test
  void R24_aNodeThatCannotSayWhatIsWrongIsAliveAllTheSame() {
    detail =
        () -> {
          throw new AssertionError("odd");
        };
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.beatSafely();
    assertThat(membership.mayDeliver()).isTrue();
    assertThat(members.details).containsExactly("null");
    assertThat(CapturedLogs.of(Membership.class, Level.WARNING))
        .singleElement()
        .asString()
        .contains("cannot say why events wait");
  }

  @Test
  void R24_aChangeIsToldBeforeTheNextBeatIsDueButNotAllTheTime() {
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    assertThat(membership.beatInTime()).isEqualTo(Duration.ofSeconds(3));
    nanos.addAndGet(Duration.ofMillis(200).toNanos());
    assertThat(membership.beatInTime()).isEqualTo(Duration.ofMillis(300));
    assertThat(members.details).hasSize(1);
    nanos.addAndGet(Duration.ofMillis(300).toNanos());
    assertThat(membership.beatInTime()).isEqualTo(Duration.ofSeconds(3));
    assertThat(members.details).hasSize(2);
  }

  @Test
  void R24_aChangeWakesTheBeat() {
    Membership membership = membership(DeliveryMode.MULTI_NODE);
    membership.start();
    try {
      detail = () -> lacks("Placed");
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      membership.detailChanged();
      await().until(() -> members.details.contains(lacks("Placed").write()));
    } finally {
      membership.close(true);
    }
  }

  @Test
  void anEngineThatIsWiredByHandIsNoMember() {
    Membership membership = membership(null);
    membership.start();
    assertThat(membership.mayDeliver()).isTrue();
    membership.close(true);
    assertThat(members.left).isEmpty();
  }
}
