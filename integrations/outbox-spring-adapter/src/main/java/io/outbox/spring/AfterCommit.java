package io.outbox.spring;

import java.lang.StackWalker.StackFrame;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Whether afterCommit callbacks are running. Spring keeps the committed transaction active
 * meanwhile, with its connection and its synchronization, so that only the stack tells.
 */
final class AfterCommit {

  private static final String INVOKER = TransactionSynchronizationUtils.class.getName();

  private AfterCommit() {}

  /**
   * Whether the current transaction may be one whose callbacks are running.
   *
   * @param others how many other transactions are known to run callbacks on this thread
   */
  static boolean mayBeUnderWay(int others) {
    // A new transaction begun in a callback has no synchronizations at first.
    return !TransactionSynchronizationManager.getSynchronizations().isEmpty() && running() > others;
  }

  private static long running() {
    return StackWalker.getInstance()
        .walk(frames -> frames.filter(AfterCommit::invokesCallbacks).count());
  }

  private static boolean invokesCallbacks(StackFrame frame) {
    return frame.getClassName().equals(INVOKER)
        && frame.getMethodName().equals("invokeAfterCommit");
  }
}
