package io.outbox;

import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.write.HasWriteSteps;
import io.outbox.internal.write.WriteSteps;
import java.util.List;

/** Writes with one hook while delivery is running, and without any while it is not. */
final class CurrentWriter implements OutboxWriter, HasWriteSteps {

  private final OutboxSettings settings;
  private final DefaultOutboxWriter writer;

  CurrentWriter(OutboxSettings settings) {
    this.settings = settings;
    this.writer =
        new DefaultOutboxWriter(
            settings.txContext, settings.outboxStore, WriterHook.NOOP, settings.interceptors);
  }

  void use(WriterHook hook) {
    writer.steps = new WriteSteps(hook, settings.interceptors);
  }

  @Override
  public WriteSteps steps() {
    return writer.steps;
  }

  @Override
  public String write(EventEnvelope event) {
    return writer.write(event);
  }

  @Override
  public String write(String eventType, String payloadJson) {
    return writer.write(eventType, payloadJson);
  }

  @Override
  public String write(EventType eventType, String payloadJson) {
    return writer.write(eventType, payloadJson);
  }

  @Override
  public List<String> writeAll(List<EventEnvelope> events) {
    return writer.writeAll(events);
  }
}
