package io.outbox.jta;

import java.io.Serializable;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A branch beside that of the database, with an end of its own. */
class Branch implements XAResource, Serializable {

  private static final long serialVersionUID = 1L;

  /** A branch whose commit fails with an error code of {@link XAException}. */
  static Branch thatEndsWith(int error) {
    return new Branch() {
      private static final long serialVersionUID = 1L;

      @Override
      public void commit(Xid xid, boolean onePhase) throws XAException {
        throw new XAException(error);
      }
    };
  }

  @Override
  public void start(Xid xid, int flags) {}

  @Override
  public void end(Xid xid, int flags) {}

  @Override
  public int prepare(Xid xid) {
    return XA_OK;
  }

  @Override
  public void commit(Xid xid, boolean onePhase) throws XAException {}

  @Override
  public void rollback(Xid xid) {}

  @Override
  public void forget(Xid xid) {}

  @Override
  public Xid[] recover(int flag) {
    return new Xid[0];
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return this == other;
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}
