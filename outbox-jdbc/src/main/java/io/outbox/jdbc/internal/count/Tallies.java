package io.outbox.jdbc.internal.count;

import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.operate.Count;
import java.sql.Connection;
import java.time.Instant;

/** Counts what is in the table, no kind further than a cap, with one statement. */
public interface Tallies {

  Tally count(Connection conn, Instant now, Instant leasedBefore, SchemaSnapshot schema);

  /** The same with what the database's own statistics say where counting ended at a cap. */
  Tally estimated(Tally counted, SchemaSnapshot schema);

  /** An estimate instead of what is a lower bound only, unless it contradicts that. */
  static Count orAbout(Count count, long estimate) {
    return count.precision() == Count.Precision.AT_LEAST && estimate > count.value()
        ? Count.about(estimate)
        : count;
  }
}
