package io.outbox.dispatch;

import io.outbox.internal.hot.HotHook;
import io.outbox.spi.MetricsExporter;
import java.util.Objects;

/** Offers committed events to a dispatcher's hot queue. Thread-safe. */
@SuppressWarnings("exports") // the writer looks for more than the published hook
public final class DispatcherWriterHook extends HotHook {

  public DispatcherWriterHook(OutboxDispatcher dispatcher) {
    this(dispatcher, MetricsExporter.NOOP);
  }

  public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
    super(
        Objects.requireNonNull(dispatcher, "dispatcher").queue().hotPath(),
        dispatcher.queue().wakeUps(),
        metrics);
  }
}
