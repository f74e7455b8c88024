package io.outbox.jdbc.internal.finished;

import io.outbox.jdbc.internal.InLists;
import java.util.ArrayList;
import java.util.List;

/** A condition for exactly these rows: in a table in partitions others may have the same ids. */
public final class RowKeys {

  private final List<String> ids;
  private final List<Long> seqs;

  private RowKeys(List<OldRow> rows) {
    this.ids = InLists.padded(rows.stream().map(OldRow::eventId).toList());
    this.seqs = InLists.padded(rows.stream().map(OldRow::seq).toList());
  }

  /** Of at most {@code size} rows each, in the order of the rows. */
  public static List<RowKeys> of(List<OldRow> rows, int size) {
    List<RowKeys> keys = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += size) {
      keys.add(new RowKeys(rows.subList(from, Math.min(rows.size(), from + size))));
    }
    return keys;
  }

  public String condition() {
    String list = InLists.placeholders(ids.size());
    return "event_id IN " + list + " AND seq IN " + list;
  }

  public Object[] params() {
    List<Object> params = new ArrayList<>(ids);
    params.addAll(seqs);
    return params.toArray();
  }
}
