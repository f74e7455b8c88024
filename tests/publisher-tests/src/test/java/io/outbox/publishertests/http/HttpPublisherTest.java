package io.outbox.publishertests.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.UnrecoverableException;
import io.outbox.http.HttpPublisher;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.publish.MessageFormat;
import io.outbox.publishertests.http.Receiver.Answer;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import io.outbox.testdb.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.assertj.core.api.Assertions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@Isolated
class HttpPublisherTest {

  @AutoClose private Receiver receiver;

  @BeforeEach
  void start() throws IOException {
    receiver = new Receiver(message -> Answer.of(204));
  }

  private HttpPublisher.Builder builder() {
    return HttpPublisher.builder().destination(receiver.uri("/events").toString());
  }

  private static EventEnvelope event() {
    return EventEnvelope.ofJson("OrderPlaced", "{\"a\":1}");
  }

  private static DispatchResult publish(HttpPublisher.Builder builder, EventEnvelope event)
      throws Exception {
    try (HttpPublisher publisher = builder.build()) {
      return publisher.onEvent(event).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  private DispatchResult answered(Answer answer) throws Exception {
    receiver.answer(message -> answer);
    return publish(builder(), event());
  }

  @Test
  void itIsRegisteredLikeAnyListener() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    String secret = "s3cret";
    // snippet: http
    HttpPublisher publisher =
        HttpPublisher.builder()
            .destination("https://example.com/events/{eventType}")
            .format(MessageFormat.cloudEvents(URI.create("/orders-service")))
            .signWith(secret)
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204})
  void anEventIsDoneWith2xx(int status) throws Exception {
    assertThat(answered(Answer.of(status))).isEqualTo(DispatchResult.done());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 404, 409, 410, 413, 422})
  void other4xxAreForGoodWithStatusAndTheStartOfTheBody(int status) throws Exception {
    DispatchResult result =
        answered(new Answer(status, Map.of(), "no such\norder " + "x".repeat(100_000)));
    assertThat(result)
        .isInstanceOfSatisfying(
            DispatchResult.Dead.class,
            dead ->
                assertThat(dead.reason())
                    .startsWith("HTTP " + status + " from 127.0.0.1: no such order xxx")
                    .hasSizeLessThan(600));
  }

  @Test
  void R25_anAnswerThatIsSetToBeAnOutageIsThatOfItsAddressWhichMayBeASecret() throws Exception {
    receiver.answer(message -> Answer.of(410));
    String address = receiver.uri("/hooks/T0P-S3CR3T").toString();
    try (HttpPublisher publisher =
        HttpPublisher.builder().destination(address).outageStatuses(404, 410).build()) {
      assertThatThrownBy(
              () -> publisher.onEvent(event()).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              OutageException.class,
              outage ->
                  assertThat(outage.destination())
                      .isEqualTo(publisher.destinationOf(event()))
                      .startsWith("127.0.0.1 ")
                      .doesNotContain("S3CR3T"))
          .hasMessageContaining("HTTP 410");
    }
    assertThatThrownBy(() -> builder().outageStatuses(404, 204))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("204");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 425, 429, 503})
  void whoeverIsTooBusySaysWhenToComeBack(int status) throws Exception {
    assertThat(answered(new Answer(status, Map.of("Retry-After", "7"), "")))
        .isEqualTo(DispatchResult.retryAfter(Duration.ofSeconds(7)));
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 425, 429})
  void whoeverDoesNotSayWhenIsAskedAfterAWhile(int status) throws Exception {
    assertThat(answered(Answer.of(status)))
        .isEqualTo(DispatchResult.retryAfter(Duration.ofSeconds(5)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "Mon, 01 Jan 2024 00:00:00 GMT"})
  void nobodyIsAskedAgainWithoutAPause(String retryAfter) throws Exception {
    assertThat(answered(new Answer(429, Map.of("Retry-After", retryAfter), "")))
        .isEqualTo(DispatchResult.retryAfter(Duration.ofSeconds(1)));
  }

  @Test
  void retryAfterMayBeADateAndIsNotBelievedBeyondABound() throws Exception {
    String inTwoMinutes =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            Instant.now().plusSeconds(120).atZone(ZoneOffset.UTC));
    assertThat(answered(new Answer(429, Map.of("Retry-After", inTwoMinutes), "")))
        .isInstanceOfSatisfying(
            DispatchResult.RetryAfter.class,
            retry ->
                assertThat(retry.delay())
                    .isBetween(Duration.ofSeconds(100), Duration.ofSeconds(120)));
    assertThat(answered(new Answer(429, Map.of("Retry-After", "999999"), "")))
        .isEqualTo(DispatchResult.retryAfter(Duration.ofMinutes(5)));
    assertThat(answered(new Answer(429, Map.of("Retry-After", "soon"), "")))
        .isEqualTo(DispatchResult.retryAfter(Duration.ofSeconds(5)));
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 407, 502, 503, 504})
  void wrongCredentialsAndAGatewayWithNobodyBehindAreAnOutage(int status) {
    assertThatThrownBy(() -> answered(Answer.of(status)))
        .hasCauseInstanceOf(OutageException.class)
        .hasStackTraceContaining("HTTP " + status);
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 501, 507})
  void other5xxAreRetried(int status) {
    assertThatThrownBy(() -> answered(new Answer(status, Map.of(), "oops")))
        .cause()
        .isExactlyInstanceOf(RecoverableException.class)
        .hasMessage("HTTP " + status + " from 127.0.0.1: oops");
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    AtomicInteger elsewhere = new AtomicInteger();
    try (Receiver other =
        new Receiver(
            message -> {
              elsewhere.incrementAndGet();
              return Answer.of(204);
            })) {
      Answer redirect = new Answer(307, Map.of("Location", other.uri("/").toString()), "");
      assertThatThrownBy(() -> answered(redirect))
          .cause()
          .isExactlyInstanceOf(RecoverableException.class)
          .hasMessageContaining("307");
    }
    assertThat(elsewhere).hasValue(0);
    HttpClient following =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    assertThatThrownBy(() -> HttpPublisher.builder().client(following))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redirects");
  }

  @Test
  void nobodyThereIsAnOutage() {
    assertThatThrownBy(
            () ->
                publish(
                    HttpPublisher.builder().destination("http://127.0.0.1:" + Ports.unused()),
                    event()))
        .hasCauseInstanceOf(OutageException.class);
  }

  @Test
  void noAnswerInTimeIsAnOutage() {
    try (TcpProxy silent = TcpProxy.to("127.0.0.1", receiver.port())) {
      silent.freeze();
      assertThatThrownBy(
              () ->
                  publish(
                      HttpPublisher.builder()
                          .destination("http://127.0.0.1:" + silent.port())
                          .requestTimeout(Duration.ofMillis(300)),
                      event()))
          .hasCauseInstanceOf(OutageException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nInjected: 1", "a\nb", "nul\0", "delete\u007f"})
  void aControlCharacterInAHeaderIsRejectedForGood(String value) throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").header("own", value).payloadJson("{}").build();
    try (HttpPublisher publisher = builder().build()) {
      assertThatThrownBy(() -> publisher.onEvent(event))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("'own'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"two words", "ü", "line\nbreak", "colon:", "", "Host", "Content-Length"})
  void aNameThatIsNoneIsRejectedForGood(String name) throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").header(name, "x").payloadJson("{}").build();
    try (HttpPublisher publisher = builder().build()) {
      assertThatThrownBy(() -> publisher.onEvent(event)).isInstanceOf(UnrecoverableException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://example.com/", "/events", "http://user:pw@example.com/", "http:"})
  void anAddressThatIsNoneIsRejectedForGoodAndNotShown(String address) {
    try (HttpPublisher publisher = HttpPublisher.builder().destination(event -> address).build()) {
      assertThatThrownBy(() -> publisher.onEvent(event()))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageNotContaining("user:pw");
    }
  }

  @Test
  void valuesInAnAddressCannotChangeIt() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateId("../admin?x=ü#y")
            .payloadJson("{}")
            .build();
    publish(HttpPublisher.builder().destination(receiver.uri("/to/") + "{aggregateId}/end"), event);
    assertThat(receiver.lastPath()).isEqualTo("/to/..%2Fadmin%3Fx%3D%C3%BC%23y/end");

    EventEnvelope dots =
        EventEnvelope.builder("OrderPlaced").aggregateId("..").payloadJson("{}").build();
    try (HttpPublisher publisher =
        HttpPublisher.builder().destination(receiver.uri("/to/") + "{aggregateId}").build()) {
      assertThatThrownBy(() -> publisher.onEvent(dots)).isInstanceOf(UnrecoverableException.class);
    }
  }

  @Test
  void aSignatureCoversTimeAndBody() throws Exception {
    publish(builder().signWith("s3cret"), event());
    ReceivedMessage message = receiver.receive().get(0);
    String[] parts = message.headers().get("outbox-signature").split("[=,]");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("s3cret".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    byte[] signed = (parts[1] + ".{\"a\":1}").getBytes(StandardCharsets.UTF_8);
    assertThat(parts[0]).isEqualTo("t");
    assertThat(Long.parseLong(parts[1])).isCloseTo(Instant.now().getEpochSecond(), within60());
    assertThat(parts[2]).isEqualTo("v1");
    assertThat(parts[3]).isEqualTo(HexFormat.of().formatHex(mac.doFinal(signed)));
  }

  private static Offset<Long> within60() {
    return Assertions.within(60L);
  }

  @Test
  void headersOfEveryRequestWinOverTheEventsOwn() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .header("authorization", "mine")
            .header("Content-Type", "text/plain")
            .payloadJson("{}")
            .build();
    publish(builder().header("Authorization", "Bearer 123"), event);
    assertThat(receiver.receive().get(0).headers())
        .containsEntry("authorization", "Bearer 123")
        .containsEntry("content-type", "application/json");
    assertThatThrownBy(() -> builder().header("Authorization", "Bearer\n123"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("123");
  }

  @Test
  void aCloudEventHasItsAttributesAsHeaders() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateId("ö 1")
            .payloadBytes(new byte[] {0, 1, -1}, "application/avro")
            .build();
    publish(builder().format(MessageFormat.cloudEvents(URI.create("/orders"))), event);
    ReceivedMessage message = receiver.receive().get(0);
    assertThat(message.headers())
        .containsEntry("ce-specversion", "1.0")
        .containsEntry("ce-id", event.eventId())
        .containsEntry("ce-source", "/orders")
        .containsEntry("ce-subject", "ö 1")
        .containsEntry("content-type", "application/avro");
    assertThat(message.body()).containsExactly(0, 1, -1);
  }

  @Test
  void aDeadEventGoesToTheAddressOfDeadLettersWithTheReason() throws Exception {
    try (HttpPublisher publisher = builder().build()) {
      publisher
          .deadLetters(event -> receiver.uri("/dead").toString())
          .accept(event(), "no such\r\ncustomer");
    }
    assertThat(receiver.lastPath()).isEqualTo("/dead");
    assertThat(receiver.receive().get(0).headers())
        .containsEntry(DeadLetterPublisher.REASON, "no such customer");
  }

  @Test
  void theValuesInAnAddressOfDeadLettersAreEncoded() throws Exception {
    EventEnvelope event =
        EventEnvelope.builder("Placed").tenantId("a/../b?c").payloadJson("1").build();
    try (HttpPublisher publisher = builder().build()) {
      publisher
          .deadLetters(HttpPublisher.address(receiver.uri("/dead") + "/{tenantId}"))
          .accept(event, "no");
    }
    assertThat(receiver.lastPath()).isEqualTo("/dead/a%2F..%2Fb%3Fc");
  }

  @Test
  void aConnectionThatWasClosedMeanwhileIsNoOutage() throws Exception {
    try (TcpProxy proxy = TcpProxy.to("127.0.0.1", receiver.port());
        HttpPublisher publisher =
            HttpPublisher.builder().destination("http://127.0.0.1:" + proxy.port()).build()) {
      for (int i = 0; i < 3; i++) {
        assertThat(publisher.onEvent(event()).toCompletableFuture().get(60, TimeUnit.SECONDS))
            .isEqualTo(DispatchResult.done());
        proxy.cut();
        proxy.restore();
      }
    }
  }

  @Test
  void onlySomeRequestsAreUnderWayAtOnce() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    receiver.answer(
        message -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          Thread.onSpinWait();
          now.decrementAndGet();
          return Answer.of(204);
        });
    try (HttpPublisher publisher = builder().maxRequests(3).build()) {
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        answers.add(publisher.onEvent(event()).toCompletableFuture());
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      }
    }
    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void whoeverWaitsForATurnDoesNotWaitLongerThanARequestMayTake() throws Exception {
    try (TcpProxy silent = TcpProxy.to("127.0.0.1", receiver.port());
        HttpPublisher publisher =
            HttpPublisher.builder()
                .destination("http://127.0.0.1:" + silent.port())
                .requestTimeout(Duration.ofMillis(500))
                .maxRequests(1)
                .build()) {
      silent.freeze();
      long start = System.nanoTime();
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) { // one after another they would take 100 s
        answers.add(publisher.onEvent(event()).toCompletableFuture());
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(OutageException.class);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
    }
  }

  @Test
  void anEndlessAnswerIsNotReadToItsEnd() throws Exception {
    assertThat(answered(new Answer(200, Map.of(), "x".repeat(5_000_000))))
        .isEqualTo(DispatchResult.done());
  }
}
