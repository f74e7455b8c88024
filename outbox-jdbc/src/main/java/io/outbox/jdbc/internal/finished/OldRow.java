package io.outbox.jdbc.internal.finished;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A row that may leave its table. In a table in partitions several rows may have the same id. */
public record OldRow(String eventId, long seq, long leaseNumber) {

  static final Comparator<OldRow> BY_ID =
      Comparator.comparing(OldRow::eventId).thenComparing(OldRow::seq);

  private static final Comparator<OldRow> BY_SEQ = Comparator.comparingLong(OldRow::seq);

  /** One row for each id, that of the latest life, in the order in which they were written. */
  public static List<OldRow> latest(Collection<OldRow> rows) {
    Comparator<OldRow> byLife = Comparator.comparingLong(OldRow::leaseNumber).thenComparing(BY_SEQ);
    Map<String, OldRow> latest =
        rows.stream()
            .collect(
                Collectors.toMap(
                    OldRow::eventId, Function.identity(), BinaryOperator.maxBy(byLife)));
    return latest.values().stream().sorted(BY_SEQ).toList();
  }
}
