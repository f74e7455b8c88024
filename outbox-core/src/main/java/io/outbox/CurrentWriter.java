package io.outbox;

import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.write.HasWriteSteps;
import io.outbox.internal.write.WriteSteps;

/** Writes with one hook while delivery is running, and without any while it is not. */
final class CurrentWriter extends DefaultOutboxWriter implements HasWriteSteps {

  private final OutboxSettings settings;

  CurrentWriter(OutboxSettings settings) {
    super(settings.txContext, settings.outboxStore, WriterHook.NOOP, settings.interceptors);
    this.settings = settings;
  }

  void use(WriterHook hook) {
    steps = new WriteSteps(hook, settings.interceptors);
  }

  @Override
  public WriteSteps steps() {
    return steps;
  }
}
