package io.outbox.spring.boot.actuate;

import io.outbox.model.EventStatus;
import io.outbox.spring.boot.actuate.TableInspector.Finding;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code outbox}: what is in the table. It changes nothing. */
@Endpoint(id = "outbox")
public class OutboxEndpoint {

  private final TableInspector table;

  OutboxEndpoint(TableInspector table) {
    this.table = table;
  }

  /**
   * What is in the table.
   *
   * @param events how many there are by status; none is counted beyond {@code countedUpTo}
   * @param pending how many wait to be delivered
   * @param dead how many were given up
   * @param countedUpTo a number that is as large as this stands for this many or more
   * @param oldestPending since when the oldest event that nobody is delivering could be delivered,
   *     or will be; null if there is none
   * @param oldestPendingAgeMs for how long it has been due
   */
  public record Contents(
      Map<EventStatus, Long> events,
      long pending,
      long dead,
      int countedUpTo,
      Instant oldestPending,
      long oldestPendingAgeMs) {}

  /** Null, which is "not found", if the store cannot tell. */
  @ReadOperation
  public Contents contents() throws SQLException {
    return table.inspect(TableInspector.CAP).map(OutboxEndpoint::describe).orElse(null);
  }

  private static Contents describe(Finding finding) {
    Map<EventStatus, Long> events = new LinkedHashMap<>();
    for (EventStatus status : EventStatus.values()) {
      events.put(status, finding.backlog().count(status));
    }
    return new Contents(
        events,
        finding.backlog().pending(),
        finding.backlog().dead(),
        finding.backlog().cap(),
        finding.backlog().oldestWaiting(),
        finding.lag().toMillis());
  }
}
