package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.Target;
import org.junit.jupiter.api.Test;

class PostgresOnlineAdditionTest extends OnlineAdditionContract {

  PostgresOnlineAdditionTest() {
    super(
        Target.POSTGRES,
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'outbox_event'::regclass");
  }

  /** What a change that was interrupted leaves behind. */
  @Test
  void anIndexThatIsHalfMadeIsMadeAgain() throws Exception {
    OutboxSchema.create(dataSource);
    execute(
        "UPDATE pg_index SET indisvalid = false"
            + " WHERE indexrelid = 'outbox_event_waiting'::regclass");
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.WAITING))
        .containsExactly("index outbox_event_waiting is missing");

    OutboxSchema.createWaiting(dataSource, "outbox_event");

    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.WAITING)).isEmpty();
    assertThat(
            number(
                "SELECT count(*) FROM pg_index"
                    + " WHERE indexrelid = 'outbox_event_waiting'::regclass AND indisvalid"))
        .isEqualTo(1);
  }
}
