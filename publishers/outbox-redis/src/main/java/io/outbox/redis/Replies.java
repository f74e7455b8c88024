package io.outbox.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.internal.publish.Answer;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** What the failure of a command means for its event. */
final class Replies {

  /** Errors that any event would get. */
  private static final Set<String> OUTAGES =
      Set.of(
          "READONLY",
          "LOADING",
          "MISCONF",
          "OOM",
          "MASTERDOWN",
          "CLUSTERDOWN",
          "TRYAGAIN",
          "NOREPLICAS",
          "BUSY",
          "NOAUTH",
          "WRONGPASS");

  /** Errors that any event of the same stream would get. */
  private static final Set<String> OUTAGES_OF_STREAM = Set.of("WRONGTYPE", "NOPERM");

  /** Errors of a server that is not, or not yet, the one to talk to. */
  private static final Set<String> WRONG_SERVER = Set.of("READONLY", "MASTERDOWN", "LOADING");

  private Replies() {}

  /** Answers by a failure of the command. */
  static void answer(Answer answer, Throwable failure, String stream) {
    if (failure instanceof RedisCommandExecutionException) {
      answer.fail(refused(failure, stream));
    } else if (isFull(failure)) {
      answer.full();
    } else if (failure instanceof RedisException
        || failure instanceof IOException
        || failure instanceof CancellationException) {
      answer.fail(outage(failure));
    } else {
      answer.fail(new RecoverableException("XADD failed: " + failure, failure));
    }
  }

  private static RecoverableException refused(Throwable failure, String stream) {
    String code = code(failure);
    if (OUTAGES_OF_STREAM.contains(code)) {
      return OutageException.ofDestination(
          nameOf(stream), "Redis accepts no entries for it: " + failure.getMessage(), failure);
    }
    return OUTAGES.contains(code)
        ? new OutageException("Redis accepts no commands now: " + failure.getMessage(), failure)
        : new RecoverableException("Redis refused it: " + failure.getMessage(), failure);
  }

  /** As operators should see it. */
  static String nameOf(String stream) {
    return "stream " + stream;
  }

  /** Whether to look for the server anew: after a failover it may be another one. */
  static boolean isWrongServer(Throwable failure) {
    return failure instanceof RedisCommandExecutionException
        && WRONG_SERVER.contains(code(failure));
  }

  /** An error reply begins with its code. */
  private static String code(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf(' ');
    return end < 0 ? message : message.substring(0, end);
  }

  private static boolean isFull(Throwable failure) {
    return failure instanceof RedisException
        && String.valueOf(failure.getMessage()).contains("size exceeded");
  }

  static OutageException outage(Throwable failure) {
    return new OutageException("Redis cannot be reached: " + failure, failure);
  }
}
