package io.outbox.jdbc.internal;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How large a row is, without reading it. */
public final class PostgresRowSize {

  /** The driver's bytes and the text made of them. */
  public static final int IN_MEMORY = 3;

  /**
   * An expression. 90 is nearly what compression can bring at most; the real size is known only by
   * reading.
   */
  public static final String SQL =
      Stream.of("payload", "payload_bytes", "headers")
          .map(
              """
              least(coalesce(pg_column_size(%1$s), 0), 10000000)
                * CASE WHEN pg_column_compression(%1$s) IS NULL THEN 1 ELSE 90 END\
              """
                  ::formatted)
          .collect(Collectors.joining(" + "));

  private PostgresRowSize() {}
}
