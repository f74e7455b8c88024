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
   * @param reason why events are killed; required for that
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

  /** An action to try what it would change; nobody has to say why. */
  static OperatorAction parseForDryRun(String name, String at) {
    return parse(name, "dry run", at);
  }

  static String reason(String given) {
    if (given == null) {
      throw HttpFailure.badRequest("'reason' is missing: say why, for those who look at it later.");
    }
    String reason = given.strip();
    if (reason.length() > MAX_REASON) {
      throw HttpFailure.badRequest("A reason has at most " + MAX_REASON + " characters.");
    }
    return reason;
  }

  private static Instant at(String given) {
    return given == null ? Instant.now() : Filters.instant("at", given);
  }
}
