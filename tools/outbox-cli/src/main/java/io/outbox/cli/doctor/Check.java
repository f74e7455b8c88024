package io.outbox.cli.doctor;

import java.sql.SQLException;
import java.util.List;

/** Looks at one thing. Reads only, and a bounded number of rows. */
interface Check {

  /** In a word or two. */
  String name();

  /** What is found; empty if there is nothing to be said on this database. */
  List<Finding> examine(Examination examination) throws SQLException;
}
