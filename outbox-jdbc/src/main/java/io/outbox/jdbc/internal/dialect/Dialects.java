package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.spi.Dialect;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Optional;
import java.util.ServiceLoader;

/** The dialects that others have registered. */
public final class Dialects {

  private Dialects() {}

  /** The first that supports a database. */
  public static Optional<Dialect> of(DatabaseMetaData database) throws SQLException {
    for (Dialect dialect : ServiceLoader.load(Dialect.class, Dialect.class.getClassLoader())) {
      if (dialect.supports(database)) {
        return Optional.of(dialect);
      }
    }
    return Optional.empty();
  }
}
