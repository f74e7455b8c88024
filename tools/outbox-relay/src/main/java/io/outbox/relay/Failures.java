package io.outbox.relay;

import io.outbox.relay.yaml.Position;

/** What to say of an exception. */
final class Failures {

  private Failures() {}

  static RelayStartException at(RelayConfig config, Position position, String message) {
    return new RelayStartException(config.problems().describe(position, message));
  }

  /** The message of whatever caused it, which says most. */
  static String reason(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause.getCause() != null && depth < 20; depth++) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.getClass().getName() : message.strip();
  }
}
