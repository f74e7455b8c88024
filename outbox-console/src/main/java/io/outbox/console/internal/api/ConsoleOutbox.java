package io.outbox.console.internal.api;

import io.outbox.console.internal.live.Jobs;
import io.outbox.console.internal.live.LiveOverview;
import io.outbox.operate.OutboxOperator;

/** One outbox on the console. */
record ConsoleOutbox(String name, OutboxOperator operator, LiveOverview live, Jobs jobs) {

  void close() {
    live.suspend();
    jobs.close();
  }
}
