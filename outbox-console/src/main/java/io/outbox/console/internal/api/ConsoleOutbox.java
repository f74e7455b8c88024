package io.outbox.console.internal.api;

import io.outbox.console.internal.live.Jobs;
import io.outbox.console.internal.live.LiveOverview;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.OutboxOperator;

/**
 * One outbox on the console.
 *
 * @param archive null if it has none
 */
record ConsoleOutbox(
    String name, OutboxOperator operator, EventArchive archive, LiveOverview live, Jobs jobs) {

  void close() {
    live.suspend();
    jobs.close();
  }
}
