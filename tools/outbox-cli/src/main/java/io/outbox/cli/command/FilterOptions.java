package io.outbox.cli.command;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.LifecycleState;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which events are meant. */
public final class FilterOptions {

  @Option(
      names = "--status",
      split = ",",
      paramLabel = "STATUS",
      description = "One of these: ${COMPLETION-CANDIDATES}.")
  private Set<EventStatus> statuses = EnumSet.noneOf(EventStatus.class);

  @Option(names = "--state", paramLabel = "STATE", description = "State: ${COMPLETION-CANDIDATES}.")
  private LifecycleState state;

  @Option(
      names = "--type",
      paramLabel = "NAME",
      converter = Given.class,
      description = "Of this event type.")
  private String type;

  @Option(
      names = "--aggregate-type",
      paramLabel = "NAME",
      converter = Given.class,
      description = "Of this aggregate type.")
  private String aggregateType;

  @Option(
      names = "--aggregate-id",
      paramLabel = "ID",
      converter = Given.class,
      description = "Of this aggregate.")
  private String aggregateId;

  @Option(
      names = "--tenant",
      paramLabel = "ID",
      converter = Given.class,
      description = "Of this tenant.")
  private String tenant;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      converter = Given.class,
      description = "With this ordering key.")
  private String key;

  @Option(
      names = "--id-prefix",
      paramLabel = "TEXT",
      converter = Given.class,
      description = "Whose id begins like this.")
  private String idPrefix;

  @Option(
      names = "--min-attempts",
      paramLabel = "N",
      description = "With at least this many failed attempts.")
  private int minAttempts;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      converter = Given.class,
      description = "With this in the error, in upper or lower case.")
  private String error;

  @Option(
      names = "--error-pattern",
      paramLabel = "TEXT",
      converter = Given.class,
      description = "Whose error begins with this line; # is any number or id. See: status.")
  private String errorPattern;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Created then or later: 2026-03-01T12:30:00Z, or 2h for two hours ago.")
  private TimePoint from;

  @Option(names = "--until", paramLabel = "TIME", description = "Created before.")
  private TimePoint until;

  @Option(names = "--leased", negatable = true, description = "Leased by a node, or by none.")
  private Boolean leased;

  @Option(
      names = "--leased-before",
      paramLabel = "TIME",
      description = "Leased before, and not renewed since.")
  private TimePoint leasedBefore;

  @Option(names = "--stuck", description = "The same as --leased-before 5m.")
  private boolean stuck;

  /** An empty one is often a variable that is not set, and would mean more events than intended. */
  private static final class Given implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
      if (value.isEmpty()) {
        throw new TypeConversionException("it is empty; omit it to match all");
      }
      return value;
    }
  }

  /** Whether every event is meant. */
  public boolean isEmpty() {
    return filter(Instant.EPOCH).toString().equals(EventFilter.ALL.toString());
  }

  public boolean namesStatus() {
    return !statuses.isEmpty() || state != null;
  }

  public EventFilter filter(OutboxSession session) {
    return filter(session.now());
  }

  private EventFilter filter(Instant now) {
    EventFilter.Builder filter = EventFilter.builder();
    if (state != null) {
      filter.state(state);
    }
    if (!statuses.isEmpty()) {
      filter.statuses(statuses);
    }
    if (leased != null) {
      filter.leased(leased);
    }
    if (stuck) {
      filter.leasedBefore(now.minus(Duration.ofMinutes(5)));
    }
    if (leasedBefore != null) {
      filter.leasedBefore(leasedBefore.at(now));
    }
    return filter
        .eventType(type)
        .aggregateType(aggregateType)
        .aggregateId(aggregateId)
        .tenantId(tenant)
        .orderingKey(key)
        .idPrefix(idPrefix)
        .minAttempts(minAttempts)
        .errorContains(error)
        .errorPattern(errorPattern)
        .createdFrom(from == null ? null : from.at(now))
        .createdUntil(until == null ? null : until.at(now))
        .build();
  }
}
