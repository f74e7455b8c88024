package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.PendingQuery;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A filled table of every shape that an earlier version made comes to the newest one by {@link
 * OutboxSchema#migrate}. The shapes are made by the files for Flyway, which never change.
 */
abstract class EarlierShapesContract extends SpecTable {

  private static final String TABLE = "outbox_event";
  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
  private static final String CREATED = "2025-06-01 10:00:00.00000";

  /** Each has what the ones before it have, but for the specification's own. */
  private enum Shape {
    SPECIFICATION(null),
    FIRST("outbox-flyway/%s/R__outbox_event.sql"),
    WITH_ORDER_BY_KEY("outbox-flyway-ordered/%s/R__outbox_event_ordered.sql"),
    WITH_OPERATOR("outbox-flyway-operator/%s/R__outbox_event_operator.sql"),
    WITH_MEMBERS("outbox-flyway/%s/R__outbox_event_members.sql"),
    WITH_WAITING("outbox-flyway/%s/R__outbox_event_waiting.sql");

    private final String file;

    Shape(String file) {
      this.file = file;
    }
  }

  EarlierShapesContract(Target target) {
    super(target);
  }

  @ParameterizedTest
  @EnumSource
  void aFilledTableOfEveryEarlierShapeComesToTheNewest(Shape shape) throws SQLException {
    create(shape);
    for (int number = 1; number <= 8; number++) {
      if (shape == Shape.SPECIFICATION) {
        insertSpecRow(number, number % 4, CREATED + number);
      } else {
        insertPlainRow(number, number % 4, CREATED + number);
      }
    }
    Map<String, EventStatus> before = statuses();

    OutboxSchema.migrate(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);

    assertThat(problems()).isEmpty();
    assertThat(before).hasSize(8);
    assertThat(statuses()).isEqualTo(before);
    assertThat(find("id-3"))
        .satisfies(
            row -> {
              assertThat(row.payloadJson().replace(" ", "")).isEqualTo("{\"n\":3}");
              assertThat(row.createdAt()).isEqualTo("2025-06-01T10:00:00.000003Z");
              assertThat(row.attempts()).isEqualTo(3);
              assertThat(row.lastError()).isEqualTo("gone");
            });
    insert("new");
    assertThat(pending()).containsExactly("id-2", "id-4", "id-6", "id-8", "new");

    OutboxSchema.migrate(dataSource); // again, which changes nothing
    assertThat(pending()).hasSize(5);
  }

  private void create(Shape newest) throws SQLException {
    if (newest == Shape.SPECIFICATION) {
      execute(specDdl().split(";"));
      return;
    }
    for (Shape shape : Shape.values()) {
      if (shape.file != null && shape.compareTo(newest) <= 0) {
        String file = shape.file.formatted(target.name().toLowerCase(Locale.ROOT));
        execute(read(file).replaceAll("(?m)^ *--.*", "").strip().split(";\\s*"));
      }
    }
  }

  private static String read(String file) {
    String name = "/schema/" + file.replace("/postgres/", "/postgresql/");
    try (InputStream in = OutboxSchema.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> problems() {
    return List.of(
            OutboxSchema.problems(dataSource, TABLE),
            OutboxSchema.problems(dataSource, TABLE, Addition.ORDERED_BY_KEY),
            OutboxSchema.problems(dataSource, TABLE, Addition.OPERATOR),
            OutboxSchema.problems(dataSource, TABLE, Addition.MEMBERS),
            OutboxSchema.problems(dataSource, TABLE, Addition.WAITING))
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  private Map<String, EventStatus> statuses() throws SQLException {
    Map<String, EventStatus> statuses = new TreeMap<>();
    try (Connection conn = dataSource.getConnection()) {
      JDBC.query(
              conn,
              "SELECT event_id, status FROM outbox_event",
              row -> Map.entry(row.getString(1), EventStatus.fromCode(row.getInt(2))))
          .forEach(row -> statuses.put(row.getKey(), row.getValue()));
    }
    return statuses;
  }

  private OutboxEvent find(String id) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return target.find(conn, id).orElseThrow();
    }
  }

  private void insert(String id) throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("Type").eventId(id).occurredAt(NOW).payloadJson("{}").build();
    try (Connection conn = dataSource.getConnection()) {
      target.store(TABLE).insertAll(conn, List.of(NewEvent.unleased(event)));
    }
  }

  private List<String> pending() throws SQLException {
    PendingQuery all = new PendingQuery(NOW, Duration.ZERO, 100, NOW, null, null);
    try (Connection conn = dataSource.getConnection()) {
      return target.store(TABLE).fetchPending(conn, all).events().stream()
          .map(OutboxEvent::eventId)
          .toList();
    }
  }
}
