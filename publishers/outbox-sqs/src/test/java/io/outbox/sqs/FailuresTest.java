package io.outbox.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.SqsException;

class FailuresTest {

  private static String kindOf(CompletableFuture<DispatchResult> answer) {
    try {
      DispatchResult result = answer.getNow(null);
      if (result instanceof DispatchResult.RetryAfter retry) {
        assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(1));
        return "throttled";
      }
      assertThat(((DispatchResult.Dead) result).reason()).contains("orders");
      return "rejected";
    } catch (CompletionException e) {
      if (e.getCause() instanceof OutageException outage) {
        return outage.destination() == null ? "outage" : "outage of " + outage.destination();
      }
      return "failure";
    }
  }

  private static String kindOf(Throwable failure) {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    Failures.answer(answer, failure, "orders");
    return kindOf(answer);
  }

  @ParameterizedTest
  @CsvSource({
    "400, InvalidParameterValue, rejected",
    "400, AWS.SimpleQueueService.BatchRequestTooLong, rejected",
    "400, InvalidMessageContents, rejected",
    "400, AWS.SimpleQueueService.NonExistentQueue, outage of queue orders",
    "400, com.amazonaws.sqs#QueueDoesNotExist, outage of queue orders",
    "403, AccessDenied, outage of queue orders",
    "403, ExpiredToken, outage",
    "403, InvalidClientTokenId, outage",
    "403, InvalidSecurity, outage",
    "401, NotAuthorized, outage",
    "400, KmsDisabled, outage of queue orders",
    "400, com.amazonaws.sqs#KmsAccessDenied, outage of queue orders",
    "400, KMS.NotFoundException, outage of queue orders",
    "400, KMS.AccessDeniedException, outage of queue orders",
    "400, KMS.ThrottlingException, throttled",
    "400, KmsThrottled, throttled",
    "413, RequestEntityTooLarge, rejected",
    "400, RequestThrottled, throttled",
    "400, ThrottlingException, throttled",
    "429, TooManyRequests, throttled",
    "500, InternalFailure, outage",
    "503, ServiceUnavailable, outage"
  })
  void aRequestThatFails(int status, String code, String kind) {
    assertThat(
            kindOf(
                SqsException.builder()
                    .statusCode(status)
                    .awsErrorDetails(
                        AwsErrorDetails.builder().errorCode(code).errorMessage("oops").build())
                    .message("oops")
                    .build()))
        .isEqualTo(kind);
  }

  @Test
  void noAnswerIsAnOutage() {
    assertThat(kindOf(SdkClientException.create("connection refused"))).isEqualTo("outage");
    assertThat(kindOf(ApiCallTimeoutException.create("too late", null))).isEqualTo("outage");
    assertThat(kindOf(new IllegalStateException("the client is closed"))).isEqualTo("outage");
  }

  @Test
  void allElseIsRetried() {
    assertThat(kindOf(new ArithmeticException("a bug"))).isEqualTo("failure");
  }

  @ParameterizedTest
  @CsvSource({
    "true, InvalidMessageContents, rejected",
    "true, RequestThrottled, throttled",
    "true, AccessDenied, outage of queue orders",
    "true, KmsInvalidState, outage of queue orders",
    "false, InternalError, outage",
    "false, ServiceUnavailable, outage"
  })
  void anEntryThatFails(boolean senderFault, String code, String kind) {
    CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
    Failures.answer(
        answer,
        BatchResultErrorEntry.builder()
            .id("0")
            .code(code)
            .message("oops")
            .senderFault(senderFault)
            .build(),
        "orders");
    assertThat(kindOf(answer)).isEqualTo(kind);
  }
}
