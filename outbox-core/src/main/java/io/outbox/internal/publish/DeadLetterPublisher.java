package io.outbox.internal.publish;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.TextChecks;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Publishes DEAD events to a dead-letter destination, for {@code onDead} of the builders. An event
 * is sent unchanged, with the reason in the header {@value #REASON}. There is one attempt; failures
 * are logged, many as one line, and the row stays DEAD in the table.
 */
public final class DeadLetterPublisher implements BiConsumer<EventEnvelope, String> {

  /** The header of the reason, in one line and cut to 1,000 characters. */
  public static final String REASON = "outbox-dead-reason";

  private static final Logger LOG = PrintableLogger.of(DeadLetterPublisher.class);
  private static final int MAX_REASON = 1_000;

  private final AsyncEventListener publisher;
  private final Duration bound;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);

  /**
   * Publishes through a publisher whose destination is for dead letters.
   *
   * @param bound how long to wait for the broker's answer
   */
  public DeadLetterPublisher(AsyncEventListener publisher, Duration bound) {
    this.publisher = Objects.requireNonNull(publisher, "publisher");
    this.bound = Objects.requireNonNull(bound, "bound");
  }

  @Override
  public void accept(EventEnvelope event, String reason) {
    try {
      DispatchResult result =
          publisher
              .onEvent(withReason(event, reason))
              .toCompletableFuture()
              .get(bound.toMillis(), TimeUnit.MILLISECONDS);
      if (result != null && !(result instanceof DispatchResult.Done)) {
        warn(event, result.toString(), null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      warn(event, "interrupted", e);
    } catch (Exception e) {
      warn(event, e.toString(), e);
    }
  }

  private void warn(EventEnvelope event, String problem, Exception cause) {
    warning.log(
        () -> "no dead letter for event " + event.eventId() + ", which is DEAD: " + problem, cause);
  }

  private static EventEnvelope withReason(EventEnvelope event, String reason) {
    Map<String, String> headers = new LinkedHashMap<>(event.headers());
    headers.put(REASON, oneLine(reason));
    return event.withHeaders(headers);
  }

  private static String oneLine(String reason) {
    String text = reason == null ? "unknown" : reason.replaceAll("\\p{Cntrl}+", " ").strip();
    return TextChecks.cleanError(text, MAX_REASON);
  }
}
