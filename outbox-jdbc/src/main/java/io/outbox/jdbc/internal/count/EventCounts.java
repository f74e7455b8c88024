package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.operate.Count;
import io.outbox.spi.Backlog;
import java.sql.Connection;
import java.time.Instant;

/** Counts what is in the table, no kind further than a cap, with one statement. */
public interface EventCounts {

  static EventCounts of(StoreContext context) {
    return context.product == Product.POSTGRESQL
        ? new PostgresCounts(context)
        : new IndexedCounts(context);
  }

  Backlog backlog(Connection conn, int cap);

  Tally tally(Connection conn, Instant now, Instant leasedBefore, SchemaSnapshot schema);

  /** The same with what the database's own statistics say where counting ended at a cap. */
  Tally estimated(Tally counted, SchemaSnapshot schema);

  /** An estimate instead of what is a lower bound only, unless it contradicts that. */
  static Count orAbout(Count count, long estimate) {
    return count.precision() == Count.Precision.AT_LEAST && estimate > count.value()
        ? Count.about(estimate)
        : count;
  }
}
