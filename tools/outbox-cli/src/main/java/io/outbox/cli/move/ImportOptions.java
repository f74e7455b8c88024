package io.outbox.cli.move;

import io.outbox.cli.move.mapping.RowKind;
import java.time.Duration;
import java.util.List;

/**
 * How rows are gone through.
 *
 * @param kinds which of them, in this order
 * @param limit how many at most
 * @param batch how many in a transaction
 * @param follow how long to wait for new rows
 */
record ImportOptions(List<RowKind> kinds, long limit, int batch, Duration follow) {

  ImportOptions {
    kinds = List.copyOf(kinds);
  }
}
