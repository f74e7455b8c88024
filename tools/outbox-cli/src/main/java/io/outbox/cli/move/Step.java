package io.outbox.cli.move;

import io.outbox.cli.move.mapping.RowKind;
import java.sql.SQLException;
import java.util.List;

/** What is done with some rows at a time. */
interface Step {

  /** Says what became of those that are still of the kind. */
  Tally batch(RowKind kind, List<Object> keys) throws SQLException;
}
