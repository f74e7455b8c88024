package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Writes down every change of every event, by a trigger: what a look at the table would miss. */
final class Audit {

  private static final String GONE = "-1";

  /** Where an event may go, except by a replay (R6). */
  private static final Set<EventStatus> PENDING = Set.of(EventStatus.NEW, EventStatus.RETRY);

  /**
   * A change.
   *
   * @param becomes null if the row was deleted
   * @param moved whether the time it is due changed
   * @param owner who has its lease now
   */
  record Change(
      String eventId,
      EventStatus was,
      EventStatus becomes,
      long leaseWas,
      long leaseBecomes,
      boolean moved,
      String owner) {

    boolean isReplay() {
      return was == EventStatus.DEAD && becomes == EventStatus.NEW;
    }

    /** Not a claim, a renewal or a release, which leave it where it is. */
    boolean isOutcome() {
      return PENDING.contains(was) && becomes != null && (!PENDING.contains(becomes) || moved);
    }

    boolean isAllowed() {
      if (becomes == null) {
        return !PENDING.contains(was);
      }
      return leaseBecomes >= leaseWas
          && (PENDING.contains(was) || (isReplay() && leaseBecomes == leaseWas + 1));
    }
  }

  private final Scenario scenario;

  private Audit(Scenario scenario) {
    this.scenario = scenario;
  }

  /** Begins to write down what happens. */
  static Audit of(Scenario scenario) {
    TestDatabase kind = scenario.database.kind();
    String seq =
        kind == TestDatabase.MARIADB || kind == TestDatabase.MYSQL
            ? "BIGINT AUTO_INCREMENT PRIMARY KEY"
            : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
    scenario.update(
        "CREATE TABLE audit (seq "
            + seq
            + ", event_id VARCHAR(36), was INT, becomes INT, lease_was BIGINT,"
            + " lease_becomes BIGINT, moved BOOLEAN, owner VARCHAR(128))");
    switch (kind) {
      case POSTGRES -> createOnPostgres(scenario);
      case H2 -> createOnH2(scenario);
      default -> createOnMariaDb(scenario);
    }
    return new Audit(scenario);
  }

  private static void createOnPostgres(Scenario scenario) {
    scenario.update(
        """
        CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'DELETE' THEN
            INSERT INTO audit (event_id, was, becomes, lease_was, lease_becomes, moved, owner)
            VALUES (OLD.event_id, OLD.status, -1, OLD.lease_no, -1, false, NULL);
          ELSE
            INSERT INTO audit (event_id, was, becomes, lease_was, lease_becomes, moved, owner)
            VALUES (OLD.event_id, OLD.status, NEW.status, OLD.lease_no, NEW.lease_no,
              OLD.available_at <> NEW.available_at, NEW.locked_by);
          END IF;
          RETURN NULL;
        END $$
        """);
    scenario.update(
        "CREATE TRIGGER audit AFTER UPDATE OR DELETE ON outbox_event"
            + " FOR EACH ROW EXECUTE FUNCTION audit()");
  }

  private static void createOnMariaDb(Scenario scenario) {
    String insert =
        "INSERT INTO audit (event_id, was, becomes, lease_was, lease_becomes, moved, owner) VALUES ";
    scenario.update(
        "CREATE TRIGGER audit_update AFTER UPDATE ON outbox_event FOR EACH ROW "
            + insert
            + "(OLD.event_id, OLD.status, NEW.status, OLD.lease_no, NEW.lease_no,"
            + " OLD.available_at <> NEW.available_at, NEW.locked_by)");
    scenario.update(
        "CREATE TRIGGER audit_delete AFTER DELETE ON outbox_event FOR EACH ROW "
            + insert
            + "(OLD.event_id, OLD.status, -1, OLD.lease_no, -1, false, NULL)");
  }

  private static void createOnH2(Scenario scenario) {
    scenario.update(
        "CREATE TRIGGER audit AFTER UPDATE, DELETE ON outbox_event FOR EACH ROW CALL '"
            + H2Trigger.class.getName()
            + "'");
  }

  /** All changes, those of each event in their order. */
  List<Change> changes() {
    List<Change> changes = new ArrayList<>();
    for (List<Object> row :
        scenario.query(
            "SELECT event_id, was, becomes, lease_was, lease_becomes, moved, owner FROM audit"
                + " ORDER BY seq")) {
      int becomes = ((Number) row.get(2)).intValue();
      changes.add(
          new Change(
              (String) row.get(0),
              EventStatus.fromCode(((Number) row.get(1)).intValue()),
              becomes < 0 ? null : EventStatus.fromCode(becomes),
              ((Number) row.get(3)).longValue(),
              ((Number) row.get(4)).longValue(),
              Boolean.parseBoolean(row.get(5).toString()) || row.get(5).equals(1),
              (String) row.get(6)));
    }
    return changes;
  }

  /** Every change was allowed (R6). */
  Map<String, List<Change>> assertAllowed() {
    Map<String, List<Change>> byId = new HashMap<>();
    for (Change change : changes()) {
      byId.computeIfAbsent(change.eventId(), id -> new ArrayList<>()).add(change);
    }
    byId.forEach(
        (id, changes) ->
            assertThat(changes).as("R6: changes of %s", id).allMatch(Change::isAllowed));
    return byId;
  }

  /** Every change was allowed, and every delivery had its outcome: one, and none without (R6). */
  Map<String, List<Change>> assertTransitions(Map<String, Integer> deliveries) {
    Map<String, List<Change>> byId = assertAllowed();
    byId.forEach(
        (id, changes) -> {
          assertThat(changes.stream().filter(Change::isOutcome).count())
              .as("outcomes of %s, whose changes are %s", id, changes)
              .isEqualTo(deliveries.getOrDefault(id, 0).longValue());
        });
    return byId;
  }

  /** What the other databases can say in SQL. */
  public static final class H2Trigger implements org.h2.api.Trigger {
    private int id;
    private int status;
    private int lease;
    private int due;
    private int owner;

    @Override
    public void init(
        Connection conn, String schema, String trigger, String table, boolean before, int type)
        throws SQLException {
      id = column(conn, table, "EVENT_ID");
      status = column(conn, table, "STATUS");
      lease = column(conn, table, "LEASE_NO");
      due = column(conn, table, "AVAILABLE_AT");
      owner = column(conn, table, "LOCKED_BY");
    }

    private static int column(Connection conn, String table, String name) throws SQLException {
      try (ResultSet columns = conn.getMetaData().getColumns(null, null, table, name)) {
        if (!columns.next()) {
          throw new SQLException("no column " + name);
        }
        return columns.getInt("ORDINAL_POSITION") - 1;
      }
    }

    @Override
    public void fire(Connection conn, Object[] was, Object[] becomes) throws SQLException {
      try (PreparedStatement insert =
          conn.prepareStatement(
              "INSERT INTO audit (event_id, was, becomes, lease_was, lease_becomes, moved, owner)"
                  + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
        insert.setObject(1, was[id]);
        insert.setObject(2, was[status]);
        insert.setObject(3, becomes == null ? GONE : becomes[status], Types.INTEGER);
        insert.setObject(4, was[lease]);
        insert.setObject(5, becomes == null ? GONE : becomes[lease], Types.BIGINT);
        insert.setBoolean(6, becomes != null && !Objects.equals(was[due], becomes[due]));
        insert.setObject(7, becomes == null ? null : becomes[owner]);
        insert.executeUpdate();
      }
    }
  }
}
