package io.outbox.dispatch;

import io.outbox.UnrecoverableException;

/**
 * No listener is registered for an event; it becomes DEAD. In {@code multiNode()} and {@code
 * orderedByKey()} it first waits for a node that has one.
 */
public class UnroutableEventException extends UnrecoverableException {

  private static final long serialVersionUID = 1L;

  public UnroutableEventException(String message) {
    super(message);
  }
}
