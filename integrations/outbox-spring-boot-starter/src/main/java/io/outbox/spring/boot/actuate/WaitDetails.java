package io.outbox.spring.boot.actuate;

import io.outbox.operate.DeliveryPause;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.RouteWithoutListener;
import io.outbox.operate.WaitReasons;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Why events wait, for the details of the health: it does not make the outbox unhealthy. */
final class WaitDetails {

  private static final Logger LOG = PrintableLogger.of(WaitDetails.class);

  /** Keys may be many. */
  private static final int MAX_SHOWN = 20;

  private WaitDetails() {}

  /** Nothing if nothing is in the way of events, or that cannot be told. */
  static Map<String, Object> of(TableInspector table) {
    Map<String, Object> details = new LinkedHashMap<>();
    try {
      table.operator().map(OutboxOperator::waitReasons).ifPresent(found -> add(found, details));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "cannot read why events wait", e);
    }
    return details;
  }

  private static void add(WaitReasons reasons, Map<String, Object> details) {
    put(details, "outages", describe(reasons.outages(), WaitDetails::describe));
    if (reasons.moreOutages() > 0) {
      details.put("moreOutages", reasons.moreOutages());
    }
    put(details, "withoutListener", describe(reasons.withoutListener(), WaitDetails::describe));
    put(details, "blockedKeys", describe(reasons.blocks(), WaitDetails::describe));
    put(details, "pauses", describe(reasons.pauses(), WaitDetails::describe));
  }

  private static <T> List<?> describe(List<T> entries, Function<T, Object> description) {
    return entries.stream().limit(MAX_SHOWN).map(description).toList();
  }

  private static void put(Map<String, Object> details, String name, List<?> entries) {
    if (!entries.isEmpty()) {
      details.put(name, entries);
    }
  }

  private static Map<String, Object> describe(ListenerOutage outage) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("listener", outage.name());
    described.put("state", outage.state());
    described.put("reason", outage.reason());
    described.put("since", outage.since().toString());
    described.put("nodes", outage.nodes());
    if (outage.nextTrial() != null) {
      described.put("nextTrial", outage.nextTrial().toString());
    }
    return described;
  }

  private static Map<String, Object> describe(RouteWithoutListener missing) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("events", missing.route().toString());
    described.put("since", missing.since().toString());
    if (missing.nearMiss() != null) {
      described.put("nearMiss", missing.nearMiss());
    }
    return described;
  }

  private static Map<String, Object> describe(KeyBlock block) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("key", block.key().name());
    described.put("event", block.eventId());
    described.put("since", block.since().toString());
    return described;
  }

  private static Map<String, Object> describe(DeliveryPause pause) {
    Map<String, Object> described = new LinkedHashMap<>();
    if (pause.tenantId() != null) {
      described.put("tenant", pause.tenantId());
    } else if (pause.destination() != null) {
      described.put("destination", pause.destination());
    } else {
      described.put("aggregateType", pause.aggregateType() == null ? "*" : pause.aggregateType());
      described.put("eventType", pause.eventType() == null ? "*" : pause.eventType());
    }
    described.put("by", pause.by());
    described.put("since", pause.since().toString());
    if (pause.reason() != null) {
      described.put("reason", pause.reason());
    }
    return described;
  }
}
