package io.outbox.console.internal.api;

import io.outbox.console.internal.http.HttpFailure;
import io.outbox.operate.OperatorAction;
import java.time.Instant;
import java.util.Locale;

/** Reads what is to be done. */
final class Actions {

  private static final int MAX_REASON = 500;

  private Actions() {}

  /**
   * The action of this name.
   *
   * @param reason why events are killed; may be null
   * @param at when rescheduled events are due; null for now
   */
  static OperatorAction parse(String name, String reason, String at) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "replay" -> new OperatorAction.Replay();
      case "kill" -> new OperatorAction.Kill(reason(reason));
      case "reschedule" -> new OperatorAction.Reschedule(at(at));
      case "release" -> new OperatorAction.Release();
      case "purge" -> new OperatorAction.Purge();
      default ->
          throw HttpFailure.badRequest(
              "There is no action '"
                  + name
                  + "', only replay, kill, reschedule, release and purge.");
    };
  }

  static String reason(String given) {
    String reason = given == null ? "killed by an operator" : given.strip();
    if (reason.length() > MAX_REASON) {
      throw HttpFailure.badRequest("A reason has at most " + MAX_REASON + " characters.");
    }
    return reason;
  }

  private static Instant at(String given) {
    return given == null ? Instant.now() : Filters.instant("at", given);
  }
}
