package io.outbox.cli.change;

import io.outbox.operate.DeliveryPause;
import io.outbox.operate.OutboxOperator;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What a pause is about: types, a tenant or a destination. */
final class PausedTypes {

  @Option(names = "--type", paramLabel = "NAME", description = "Events of this type.")
  private String eventType;

  @Option(
      names = "--aggregate-type",
      paramLabel = "NAME",
      description = "Events of this aggregate type.")
  private String aggregateType;

  @Option(names = "--tenant", paramLabel = "ID", description = "Events of this tenant.")
  private String tenant;

  @Option(
      names = "--destination",
      paramLabel = "NAME",
      description = "Events that go there, as status names it: 'topic orders'.")
  private String destination;

  boolean isEmpty() {
    return named() == 0;
  }

  /** Whether it is about more than types, a tenant or a destination. */
  boolean isAmbiguous() {
    return named() > 1;
  }

  private long named() {
    boolean typed = eventType != null || aggregateType != null;
    return Stream.of(typed ? "" : null, tenant, destination).filter(Objects::nonNull).count();
  }

  boolean begin(OutboxOperator operator, String reason) {
    if (tenant != null) {
      return operator.pauseTenant(tenant, reason);
    }
    return destination == null
        ? operator.pause(aggregateType, eventType, reason)
        : operator.pauseDestination(destination, reason);
  }

  boolean end(OutboxOperator operator) {
    return end(operator, aggregateType, eventType, tenant, destination);
  }

  static boolean end(OutboxOperator operator, DeliveryPause pause) {
    return end(
        operator, pause.aggregateType(), pause.eventType(), pause.tenantId(), pause.destination());
  }

  private static boolean end(
      OutboxOperator operator,
      String aggregateType,
      String eventType,
      String tenant,
      String destination) {
    if (tenant != null) {
      return operator.resumeTenant(tenant);
    }
    return destination == null
        ? operator.resume(aggregateType, eventType)
        : operator.resumeDestination(destination);
  }
}
