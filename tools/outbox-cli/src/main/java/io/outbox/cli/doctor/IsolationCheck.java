package io.outbox.cli.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** How transactions are kept apart unless they say otherwise. */
final class IsolationCheck implements Check {

  @Override
  public String name() {
    return "isolation";
  }

  @Override
  public List<Finding> examine(Examination examination) throws SQLException {
    int level = examination.connection().getTransactionIsolation();
    return List.of(
        switch (level) {
          case Connection.TRANSACTION_READ_UNCOMMITTED ->
              examination.database() == Database.POSTGRESQL
                  ? Finding.ok(name(), "read uncommitted, which is read committed on PostgreSQL")
                  : Finding.problem(
                      name(),
                      "transactions read what others have not committed",
                      "an event may be delivered that is rolled back afterwards",
                      "set the default to READ COMMITTED, in the server or in the application's"
                          + " pool");
          case Connection.TRANSACTION_READ_COMMITTED -> Finding.ok(name(), "read committed");
          case Connection.TRANSACTION_REPEATABLE_READ -> repeatableRead(examination.database());
          default ->
              Finding.warning(
                  name(),
                  "transactions are serializable by default",
                  "reads take locks or are aborted: writers and claims block each other",
                  "set the default to READ COMMITTED, and SERIALIZABLE only where it is needed");
        });
  }

  private Finding repeatableRead(Database database) {
    return database.isMySqlFamily()
        ? Finding.ok(name(), "repeatable read; claims and outcomes use read committed")
        : Finding.warning(
            name(),
            "transactions are repeatable read by default",
            "claims and outcomes of several nodes may be aborted and repeated",
            "set the default to READ COMMITTED, in the server or in the application's pool");
  }
}
