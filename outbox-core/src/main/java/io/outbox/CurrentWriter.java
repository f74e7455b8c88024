package io.outbox;

import io.outbox.internal.write.HasWriteSteps;
import io.outbox.internal.write.WriteSteps;
import java.util.List;

/** Writes through one writer while delivery is running and through another while it is not. */
final class CurrentWriter implements OutboxWriter, HasWriteSteps {

  private volatile DefaultOutboxWriter current;

  CurrentWriter(DefaultOutboxWriter first) {
    this.current = first;
  }

  void use(DefaultOutboxWriter next) {
    this.current = next;
  }

  @Override
  public WriteSteps steps() {
    return current.steps();
  }

  @Override
  public String write(EventEnvelope event) {
    return current.write(event);
  }

  @Override
  public String write(String eventType, String payloadJson) {
    return current.write(eventType, payloadJson);
  }

  @Override
  public String write(EventType eventType, String payloadJson) {
    return current.write(eventType, payloadJson);
  }

  @Override
  public List<String> writeAll(List<EventEnvelope> events) {
    return current.writeAll(events);
  }
}
