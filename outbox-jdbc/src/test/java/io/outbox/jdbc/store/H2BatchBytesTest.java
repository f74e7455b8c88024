package io.outbox.jdbc.store;

class H2BatchBytesTest extends BatchBytesContract {

  H2BatchBytesTest() {
    super(Target.H2, new H2OutboxStore());
  }
}
