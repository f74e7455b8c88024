package io.outbox.it;

import io.outbox.Outbox;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;

/** The modes that deliver, each with a builder that is wired and whose poller looks rarely. */
enum BuiltMode {
  SINGLE_NODE {
    @Override
    Outbox.AbstractBuilder<?> builder(Scenario scenario, long intervalMs) {
      return scenario.singleNode().intervalMs(intervalMs);
    }
  },
  MULTI_NODE {
    @Override
    Outbox.AbstractBuilder<?> builder(Scenario scenario, long intervalMs) {
      return scenario.multiNode(Duration.ofMinutes(1)).intervalMs(intervalMs);
    }
  },
  ORDERED {
    @Override
    Outbox.AbstractBuilder<?> builder(Scenario scenario, long intervalMs) {
      return scenario.ordered().intervalMs(intervalMs);
    }
  },
  ORDERED_BY_KEY {
    @Override
    Outbox.AbstractBuilder<?> builder(Scenario scenario, long intervalMs) {
      // a node that listens for notifications keeps a connection
      return scenario.orderedByKey().notifications(false).intervalMs(intervalMs);
    }
  };

  abstract Outbox.AbstractBuilder<?> builder(Scenario scenario, long intervalMs);

  static Scenario on(TestDatabase kind) {
    return Scenario.orderedByKeyOn(kind);
  }
}
