package io.outbox.jta;

import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/**
 * Ends the JVM without a word in one phase of the commit; after a recovery it is like any other.
 */
final class HaltingBranch extends Branch {

  private static final long serialVersionUID = 1L;

  private final transient boolean inPrepare;
  private final transient boolean inCommit;

  private HaltingBranch(boolean inPrepare, boolean inCommit) {
    this.inPrepare = inPrepare;
    this.inCommit = inCommit;
  }

  static HaltingBranch inPrepare() {
    return new HaltingBranch(true, false);
  }

  static HaltingBranch inCommit() {
    return new HaltingBranch(false, true);
  }

  @Override
  public int prepare(Xid xid) {
    halt(inPrepare);
    return super.prepare(xid);
  }

  @Override
  public void commit(Xid xid, boolean onePhase) throws XAException {
    halt(inCommit);
    super.commit(xid, onePhase);
  }

  private static void halt(boolean now) {
    if (now) {
      Runtime.getRuntime().halt(1);
    }
  }
}
