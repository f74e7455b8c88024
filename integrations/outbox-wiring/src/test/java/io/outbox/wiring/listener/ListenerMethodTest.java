package io.outbox.wiring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import io.outbox.wiring.OutboxConfigurationException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListenerMethodTest {

  private static final class Stage<A, T> extends CompletableFuture<T> {}

  private static final class Answer extends CompletableFuture<DispatchResult> {}

  /** Only their signatures are used. */
  interface Methods {
    void envelope(EventEnvelope event);

    DispatchResult both(Map<String, Object> payload, EventEnvelope event);

    DispatchResult.Dead dead(EventEnvelope event);

    void text(String json);

    void bytes(byte[] payload);

    CompletionStage<DispatchResult> later(EventEnvelope event);

    CompletableFuture<Void> laterNothing(EventEnvelope event);

    CompletionStage<? extends DispatchResult> laterSome(EventEnvelope event);

    Stage<String, DispatchResult> ownStage(EventEnvelope event);

    Answer ownAnswer(EventEnvelope event);

    void nothing();

    void twoEnvelopes(EventEnvelope one, EventEnvelope two);

    void twoPayloads(String one, byte[] two);

    void number(int payload);

    void list(List<String> payload);

    <T> void variable(T payload);

    String string(EventEnvelope event);

    CompletionStage<String> laterString(EventEnvelope event);

    @SuppressWarnings("rawtypes")
    CompletionStage laterRaw(EventEnvelope event);

    Stage<DispatchResult, String> ownStageOfString(EventEnvelope event);
  }

  private final EventEnvelope json = EventEnvelope.ofJson("Order", "{\"id\":\"1\"}");
  private final EventEnvelope bytes =
      EventEnvelope.builder("Order").payloadBytes(new byte[] {1, 2}, "application/x").build();
  private final List<Object> called = new ArrayList<>();
  private Object answer;

  @BeforeEach
  void answersNothing() {
    answer = null;
  }

  @Test
  void aMethodGetsWhatItAsksFor() throws Exception {
    listener("envelope").onEvent(json);
    listener("both").onEvent(json);
    listener("text").onEvent(json);
    listener("bytes").onEvent(bytes);

    assertThat(called)
        .containsExactly(json, Map.of("id", "1"), json, json.payloadJson(), bytes.payloadBytes());
  }

  @Test
  void aPayloadOfTheOtherKindCannotBeRead() {
    assertThatThrownBy(() -> listener("text").onEvent(bytes))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("is bytes, not JSON");
    assertThatThrownBy(() -> listener("bytes").onEvent(json))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("is JSON, not bytes");
    assertThat(called).isEmpty();
  }

  @Test
  void whatAMethodReturnsOrThrowsIsTheListeners() throws Exception {
    answer = DispatchResult.done();
    assertThat(listener("both").onEvent(json)).isSameAs(answer);

    EventListener failing =
        method("envelope")
            .calledBy(
                arguments -> {
                  throw new InterruptedException("as it was thrown");
                });
    assertThatThrownBy(() -> failing.onEvent(json))
        .isInstanceOf(InterruptedException.class)
        .hasMessage("as it was thrown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"later", "laterNothing", "laterSome", "ownStage", "ownAnswer"})
  void aMethodMayAnswerLater(String name) {
    assertThat(listener(name)).extracting(Object::getClass).asString().contains("AsyncListener");
  }

  @ParameterizedTest
  @ValueSource(strings = {"envelope", "dead"})
  void othersAnswerAtOnce(String name) {
    assertThat(listener(name))
        .extracting(Object::getClass)
        .asString()
        .doesNotContain("AsyncListener");
  }

  @Test
  void otherSignaturesAreRefusedWithARemedy() {
    assertRefused("nothing", "it takes no parameters.");
    assertRefused("twoEnvelopes", "it takes io.outbox.EventEnvelope, io.outbox.EventEnvelope.");
    assertRefused("twoPayloads", "it takes java.lang.String, byte[].");
    assertRefused("number", "it takes a int, into which a payload cannot be read");
    assertRefused("list", "it takes a java.util.List<java.lang.String>, into which");
    assertRefused("variable", "it takes a T, into which");
    assertRefused("string", "it returns java.lang.String.");
    assertRefused("laterString", "it returns java.util.concurrent.CompletionStage<");
    assertRefused("laterRaw", "it returns java.util.concurrent.CompletionStage.");
    assertRefused("ownStageOfString", "it returns ");
  }

  private void assertRefused(String name, String why) {
    assertThatThrownBy(() -> method(name))
        .isInstanceOf(OutboxConfigurationException.class)
        .hasMessageContaining("The method " + name + " cannot be an outbox listener: ")
        .hasMessageContaining(why)
        .hasMessageContaining("Let it take an EventEnvelope, or the payload, or both");
  }

  private EventListener listener(String name) {
    return method(name)
        .calledBy(
            arguments -> {
              called.addAll(Arrays.asList(arguments));
              return answer;
            });
  }

  private static ListenerMethod method(String name) {
    Method method =
        Arrays.stream(Methods.class.getMethods())
            .filter(candidate -> candidate.getName().equals(name))
            .findFirst()
            .orElseThrow();
    return ListenerMethod.of(
        "method " + name,
        List.of(method.getGenericParameterTypes()),
        method.getGenericReturnType());
  }
}
