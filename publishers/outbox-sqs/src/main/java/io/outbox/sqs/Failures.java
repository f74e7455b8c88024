package io.outbox.sqs;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;

/** What a failure means for the event. */
final class Failures {

  private static final Duration THROTTLED = Duration.ofSeconds(1);

  private static final Set<String> THROTTLING =
      Set.of(
          "OverLimit",
          "KmsThrottled",
          "RequestThrottled",
          "Throttling",
          "ThrottlingException",
          "TooManyRequestsException");

  /** Nobody's event gets through with these credentials. */
  private static final Set<String> CREDENTIALS =
      Set.of(
          "ExpiredToken",
          "ExpiredTokenException",
          "IncompleteSignature",
          "InvalidAccessKeyId",
          "InvalidClientTokenId",
          "MissingAuthenticationToken",
          "OptInRequired",
          "RequestExpired",
          "SignatureDoesNotMatch",
          "UnrecognizedClientException");

  /** The queue's key, without which it takes nobody's event: KmsDisabled, KMS.NotFoundException. */
  private static final Pattern KEY = Pattern.compile("K(ms|MS\\.)[A-Z].*");

  private static final int BAD_REQUEST = 400;
  private static final int TOO_LARGE = 413;

  /** About the queue: it takes nobody's event. */
  private static final Set<String> QUEUE =
      Set.of("AccessDenied", "AccessDeniedException", "NonExistentQueue", "QueueDoesNotExist");

  private Failures() {}

  /** One entry of a batch was not taken. */
  static void answer(
      CompletableFuture<DispatchResult> answer, BatchResultErrorEntry entry, String queue) {
    String text = "SQS, queue %s: %s %s".formatted(queue, entry.code(), entry.message());
    String code = shortened(entry.code());
    if (THROTTLING.contains(code)) {
      answer.complete(DispatchResult.retryAfter(THROTTLED));
    } else if (isAboutTheKey(entry.code()) || QUEUE.contains(code)) {
      answer.completeExceptionally(OutageException.ofDestination(nameOf(queue), text, null));
    } else if (!Boolean.TRUE.equals(entry.senderFault())) {
      answer.completeExceptionally(new OutageException(text));
    } else {
      answer.complete(DispatchResult.dead(text));
    }
  }

  /** A whole request failed. */
  static void answer(CompletableFuture<DispatchResult> answer, Throwable failure, String queue) {
    if (isThrottling(failure)) {
      answer.complete(DispatchResult.retryAfter(THROTTLED));
    } else if (isFaultOfAMessage(failure)) {
      answer.complete(DispatchResult.dead("SQS, queue " + queue + ": " + failure.getMessage()));
    } else if (isAboutTheQueue(failure)) {
      answer.completeExceptionally(
          OutageException.ofDestination(
              nameOf(queue), "SQS does not take events for it: " + failure.getMessage(), failure));
    } else if (!isOutage(failure)) {
      answer.completeExceptionally(failure);
    } else {
      answer.completeExceptionally(
          new OutageException("SQS does not take events for queue " + queue, failure));
    }
  }

  /** As operators should see it. */
  static String nameOf(String queue) {
    return "queue " + queue;
  }

  /** Whether SQS, in good health, refuses what it was given. */
  static boolean isFaultOfAMessage(Throwable failure) {
    return failure instanceof SdkServiceException service
        && (service.statusCode() == BAD_REQUEST || service.statusCode() == TOO_LARGE)
        && !isThrottling(failure)
        && !CREDENTIALS.contains(code(failure))
        && !isAboutTheQueue(failure);
  }

  private static boolean isThrottling(Throwable failure) {
    return failure instanceof SdkServiceException service
        && (service.isThrottlingException() || THROTTLING.contains(code(failure)));
  }

  /** No answer, one of a server in trouble, or wrong credentials; a closed client, too. */
  private static boolean isOutage(Throwable failure) {
    return failure instanceof SdkException || failure instanceof IllegalStateException;
  }

  private static boolean isAboutTheQueue(Throwable failure) {
    return QUEUE.contains(code(failure)) || isAboutTheKey(fullCode(failure));
  }

  private static boolean isAboutTheKey(String code) {
    return code != null && KEY.matcher(code.substring(code.lastIndexOf('#') + 1)).matches();
  }

  private static String code(Throwable failure) {
    return shortened(fullCode(failure));
  }

  private static String fullCode(Throwable failure) {
    return failure instanceof AwsServiceException service && service.awsErrorDetails() != null
        ? service.awsErrorDetails().errorCode()
        : null;
  }

  /** Codes come with a name space or without. */
  private static String shortened(String code) {
    return code == null
        ? ""
        : code.substring(Math.max(code.lastIndexOf('.'), code.lastIndexOf('#')) + 1);
  }
}
