package io.outbox.cli;

import io.outbox.testdb.TestDatabase;

class H2DoctorTest extends DoctorContract {

  H2DoctorTest() {
    super(TestDatabase.H2);
  }

  @Override
  String dropDueIndex() {
    return "DROP INDEX outbox_event_due";
  }
}
