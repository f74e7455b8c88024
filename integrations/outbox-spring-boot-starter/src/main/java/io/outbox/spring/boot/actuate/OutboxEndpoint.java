package io.outbox.spring.boot.actuate;

import io.outbox.model.EventStatus;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Overview;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spring.boot.actuate.TableInspector.Finding;
import java.security.Principal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code outbox}: shows the events in the table, and acts on them with {@code
 * management.endpoint.outbox.access=unrestricted}.
 */
@Endpoint(id = "outbox", defaultAccess = Access.READ_ONLY)
public class OutboxEndpoint {

  private static final int MAX_BLOCKED_KEYS = 20;

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
   * @param oldestPending when the oldest undelivered event was first due or replayed, or will be;
   *     null if there is none
   * @param oldestPendingAgeMs for how long it has been due
   * @param outages the listeners that are down on some nodes
   * @param withoutListener the event types that no node has a listener for
   * @param blockedKeys keys that wait because one of their events is DEAD; no more than 20
   * @param overview what an operator sees besides; null if the store cannot be operated
   */
  public record Contents(
      Map<EventStatus, Long> events,
      long pending,
      long dead,
      int countedUpTo,
      Instant oldestPending,
      long oldestPendingAgeMs,
      List<ListenerOutage> outages,
      List<RouteWithoutListener> withoutListener,
      List<KeyBlock> blockedKeys,
      @Nullable Overview overview) {}

  /**
   * What an action did.
   *
   * @param changed false if there was nothing to change
   */
  public record Acted(boolean changed) {}

  /** Null, which is "not found", if the store cannot tell. */
  @ReadOperation
  @Nullable
  public Contents contents() throws SQLException {
    Optional<OutboxOperator> operator = table.operator();
    Overview overview = operator.map(OutboxOperator::overview).orElse(null);
    List<KeyBlock> blocked =
        operator.map(each -> each.blockedKeys(MAX_BLOCKED_KEYS)).orElse(List.of());
    return table
        .inspect(TableInspector.CAP)
        .map(found -> describe(found, overview, blocked))
        .orElse(null);
  }

  /**
   * Acts in the name of the signed-in user, and writes the action to the audit.
   *
   * @param action {@code replay} or {@code kill} an event, {@code pause} or {@code resume} delivery
   * @param id of the event to replay or kill
   * @param reason of a kill or pause
   * @param aggregateType of what is paused or resumed; null for any
   * @param eventType of what is paused or resumed; null for any
   */
  @WriteOperation
  public Acted act(
      SecurityContext security,
      @Selector String action,
      @Nullable String id,
      @Nullable String reason,
      @Nullable String aggregateType,
      @Nullable String eventType) {
    OutboxOperator operator = operator(security);
    try {
      return new Acted(
          switch (action) {
            case "replay" ->
                operator.perform(new OperatorAction.Replay(), required("id", action, id));
            case "kill" ->
                operator.perform(
                    new OperatorAction.Kill(required("reason", action, reason)),
                    required("id", action, id));
            case "pause" -> operator.pause(aggregateType, eventType, reason);
            case "resume" -> operator.resume(aggregateType, eventType);
            default -> throw invalid("'" + action + "' is none of replay, kill, pause and resume");
          });
    } catch (IllegalArgumentException e) {
      throw invalid(e.getMessage());
    }
  }

  private OutboxOperator operator(SecurityContext security) {
    return table
        .operator()
        .orElseThrow(() -> invalid("this outbox cannot be operated: its store has no operator()"))
        .as(name(security));
  }

  private static String name(SecurityContext security) {
    Principal principal = security.getPrincipal();
    return principal == null || principal.getName().isBlank() ? "actuator" : principal.getName();
  }

  private static String required(String name, String action, @Nullable String value) {
    if (value == null || value.isBlank()) {
      throw invalid("to " + action + " an event, say its " + name);
    }
    return value;
  }

  private static InvalidEndpointRequestException invalid(String reason) {
    return new InvalidEndpointRequestException(reason, reason);
  }

  private static Contents describe(
      Finding finding, @Nullable Overview overview, List<KeyBlock> blocked) {
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
        finding.lag().toMillis(),
        overview == null ? List.of() : overview.outages(),
        overview == null ? List.of() : overview.withoutListener(),
        blocked,
        overview);
  }
}
