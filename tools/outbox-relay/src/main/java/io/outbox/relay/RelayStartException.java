package io.outbox.relay;

/**
 * A relay cannot start, though its file is valid. The message says where and what to do, without
 * secrets.
 */
public final class RelayStartException extends Exception {

  private static final long serialVersionUID = 1L;

  RelayStartException(String message) {
    super(message);
  }
}
