package io.outbox.jta.cdi;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;

/** Calls another bean through its proxy. */
@ApplicationScoped
public class Checkout {

  @Inject Orders orders;

  /** Fails after an order in its transaction and one in a new transaction. */
  @Transactional
  public void fail(String lost, String kept) throws SQLException {
    orders.place(lost);
    orders.placeAlone(kept);
    throw new IllegalArgumentException("no");
  }
}
