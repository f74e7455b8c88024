package io.outbox.sql;

import io.outbox.OutboxWriter;
import io.outbox.testing.RecordingListener;

/** A library that changes data, with an outbox beside it that joins its transactions. */
interface Library extends AutoCloseable {

  /** The data, in a transaction. */
  interface Orders {
    void insert(String id) throws Exception;

    /** In a transaction inside the current one. */
    void nested(Work work) throws Exception;
  }

  /** Something to do in a transaction. What it throws rolls back. */
  interface Work {
    void run(Orders orders) throws Exception;
  }

  void inTransaction(Work work) throws Exception;

  /** How many orders there are, outside a transaction. */
  int countOrders() throws Exception;

  OutboxWriter writer();

  RecordingListener delivered();

  @Override
  void close();
}
