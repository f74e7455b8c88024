package io.outbox.http;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/** What an answer means for the event. */
final class Answers {

  /** For those that ask to come back but do not say when. */
  private static final Duration DEFAULT_RETRY_AFTER = Duration.ofSeconds(5);

  /**
   * A receiver that says "at once", or names a time that our clock has passed, gets a breath all
   * the same.
   */
  private static final Duration SHORTEST_RETRY_AFTER = Duration.ofSeconds(1);

  private final Duration maxRetryAfter;
  private final Set<Integer> outageStatuses;
  private final Clock clock;

  Answers(Duration maxRetryAfter, Set<Integer> outageStatuses, Clock clock) {
    this.maxRetryAfter = maxRetryAfter;
    this.outageStatuses = outageStatuses;
    this.clock = clock;
  }

  DispatchResult judge(HttpResponse<String> response, String address) {
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return DispatchResult.done();
    }
    if (outageStatuses.contains(status)) {
      throw OutageException.ofDestination(nameOf(address), describe(response), null);
    }
    String retryAfter = response.headers().firstValue("Retry-After").orElse("").strip();
    switch (status) {
      case 408, 425, 429 -> {
        return DispatchResult.retryAfter(retryAfter(retryAfter));
      }
      case 503 -> {
        if (retryAfter.isEmpty()) {
          throw new OutageException(describe(response));
        }
        return DispatchResult.retryAfter(retryAfter(retryAfter));
      }
      // with these credentials nobody's event gets through
      case 401, 407, 502, 504 -> throw new OutageException(describe(response));
      default -> {
        if (status >= 400 && status < 500) {
          return DispatchResult.dead(describe(response));
        }
        throw new RecoverableException(describe(response));
      }
    }
  }

  /** As operators should see it: of many a webhook the path is the secret. */
  static String nameOf(String address) {
    return URI.create(address).getHost() + " #" + Integer.toHexString(address.hashCode());
  }

  private Duration retryAfter(String value) {
    Duration wanted = DEFAULT_RETRY_AFTER;
    if (value.matches("\\d{1,9}")) {
      wanted = Duration.ofSeconds(Long.parseLong(value));
    } else if (!value.isEmpty()) {
      try {
        Instant at = DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from);
        wanted = Duration.between(clock.instant(), at);
      } catch (DateTimeException e) {
        wanted = DEFAULT_RETRY_AFTER; // neither seconds nor a date: as if it were not there
      }
    }
    if (wanted.compareTo(maxRetryAfter) > 0) {
      return maxRetryAfter;
    }
    return wanted.compareTo(SHORTEST_RETRY_AFTER) < 0 ? SHORTEST_RETRY_AFTER : wanted;
  }

  private static String describe(HttpResponse<String> response) {
    String body = response.body() == null ? "" : response.body();
    return "HTTP %s from %s%s"
        .formatted(
            response.statusCode(),
            response.uri().getHost(),
            body.isBlank() ? "" : ": " + body.replaceAll("\\p{Cntrl}+", " ").strip());
  }
}
