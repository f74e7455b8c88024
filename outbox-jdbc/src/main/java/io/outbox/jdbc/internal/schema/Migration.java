package io.outbox.jdbc.internal.schema;

import java.util.List;

/**
 * A difference between a table as it is and as it should be.
 *
 * @param problem what is wrong, for a person to read
 * @param statements what puts it right, in order
 */
record Migration(String problem, List<String> statements) {

  Migration(String problem, String... statements) {
    this(problem, List.of(statements));
  }
}
