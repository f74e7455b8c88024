/** For tests: an outbox in memory, and contract tests to extend. */
module io.outbox.testing {
  requires transitive io.outbox.core;
  requires static org.assertj.core;
  requires static transitive org.junit.jupiter.api;
  requires static transitive org.junit.jupiter.params;

  exports io.outbox.testing;
  exports io.outbox.testing.contract;
  exports io.outbox.testing.rules;

  // JUnit calls the inherited tests.
  opens io.outbox.testing.contract;
  opens io.outbox.testing.rules;
}
