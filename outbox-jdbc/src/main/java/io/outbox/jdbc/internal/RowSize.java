package io.outbox.jdbc.internal;

import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How large a row is, on PostgreSQL without reading it. */
public final class RowSize {

  /** The driver's bytes and the text made of them. */
  public static final int IN_MEMORY = 3;

  /**
   * On PostgreSQL. 90 is nearly what compression can bring at most; the real size is known only by
   * reading.
   */
  public static final String POSTGRES =
      sum(
          """
          least(coalesce(pg_column_size(%1$s), 0), 10000000)
            * CASE WHEN pg_column_compression(%1$s) IS NULL THEN 1 ELSE 90 END\
          """
              ::formatted);

  private RowSize() {}

  /** An expression for the bytes, or the characters, of an event. */
  public static String of(Product product) {
    return product == Product.POSTGRESQL
        ? POSTGRES
        : sum(
            column ->
                "COALESCE(%s, 0)"
                    .formatted(
                        column.equals("payload_bytes")
                            ? product.binaryLength(column)
                            : product.textLength(column)));
  }

  private static String sum(Function<String, String> size) {
    return Stream.of("payload", "payload_bytes", "headers")
        .map(size)
        .collect(Collectors.joining(" + "));
  }
}
