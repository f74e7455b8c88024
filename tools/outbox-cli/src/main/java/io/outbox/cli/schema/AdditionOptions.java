package io.outbox.cli.schema;

import io.outbox.jdbc.Addition;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Which optional additions to the outbox table are meant, too. */
final class AdditionOptions {

  /** The tables that are always there besides the outbox table. */
  static final List<Addition> TABLES =
      List.of(Addition.MEMBERS, Addition.OPERATOR, Addition.SUBSCRIPTIONS, Addition.HOLDS);

  @Option(names = "--ordered-by-key", description = "Also the tables of Outbox.orderedByKey().")
  private boolean orderedByKey;

  @Option(
      names = "--operator-indexes",
      description =
          "Also indexes that only an operator's searches use; writers pay a little for them.")
  private boolean operatorIndexes;

  @Option(names = "--archive", description = "Also the table for archived events.")
  private boolean archive;

  List<Addition> wanted() {
    List<Addition> wanted = new ArrayList<>();
    if (orderedByKey) {
      wanted.add(Addition.ORDERED_BY_KEY);
    }
    if (operatorIndexes) {
      wanted.add(Addition.OPERATOR_INDEXES);
    }
    if (archive) {
      wanted.add(Addition.ARCHIVE);
    }
    return wanted;
  }

  /** As they are written on the command line. */
  String asOptions() {
    return (orderedByKey ? " --ordered-by-key" : "")
        + (operatorIndexes ? " --operator-indexes" : "")
        + (archive ? " --archive" : "");
  }
}
