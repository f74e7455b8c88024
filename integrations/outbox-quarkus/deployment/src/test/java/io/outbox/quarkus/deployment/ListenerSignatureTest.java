package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.annotation.OutboxListener;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Index;
import org.jboss.jandex.MethodInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused when an application is built. */
class ListenerSignatureTest {

  @SuppressWarnings({"rawtypes", "unused"})
  abstract static class Methods {
    abstract void payload(String payload);

    abstract DispatchResult.Done bothWays(EventEnvelope event, byte[] payload);

    abstract Void map(Map<String, ?> payload);

    abstract CompletionStage<DispatchResult> stage(Integer payload);

    abstract CompletableFuture<Void> future(List<?> payload);

    abstract Uni<DispatchResult> uni(String[] payload);

    private void isPrivate(String payload) {}

    static void isStatic(String payload) {}

    abstract void nothing();

    abstract void twoEvents(EventEnvelope one, EventEnvelope other);

    abstract void twoPayloads(String one, String other);

    abstract String text(EventEnvelope event);

    abstract CompletionStage<String> stageOfText(EventEnvelope event);

    abstract CompletionStage rawStage(EventEnvelope event);

    abstract void primitive(int payload);

    abstract void listOfText(List<String> payload);

    abstract <T> void variable(T payload);
  }

  private static MethodInfo method(String name) throws IOException {
    return Index.singleClass(Methods.class).methods().stream()
        .filter(method -> method.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "payload, false, false",
    "bothWays, false, false",
    "map, false, false",
    "stage, true, false",
    "future, true, false",
    "uni, true, true"
  })
  void takesWhatCanBeAListener(String name, boolean async, boolean uni) throws IOException {
    ListenerSignature signature = ListenerSignature.of(method(name), "method " + name);

    assertThat(signature.isAsync()).isEqualTo(async);
    assertThat(signature.isUni()).isEqualTo(uni);
    assertThat(signature.parameters()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "isPrivate",
        "isStatic",
        "nothing",
        "twoEvents",
        "twoPayloads",
        "text",
        "stageOfText",
        "rawStage",
        "primitive",
        "listOfText",
        "variable"
      })
  void refusesTheRestAndSaysWhatToDo(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ListenerSignature.of(method(name), "method " + name))
        .withMessageContainingAll("method " + name, "cannot be an outbox listener", "Let it take");
  }

  @OutboxListener("NotAListener")
  static class NotAListener {}

  static class WithoutType {
    @OutboxListener
    void on(EventEnvelope event) {}
  }

  static class WithTwoTypes {
    @OutboxListener(value = "One", eventType = "Other")
    void on(EventEnvelope event) {}
  }

  private static void read(Class<?> type) throws IOException {
    Index index = Index.of(type);
    ClassInfo found = index.getClassByName(type);
    AnnotatedMethod.of(found, index).forEach(AnnotatedMethod::address);
  }

  @Test
  void refusesAnnotationsThatMeanNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(NotAListener.class))
        .withMessageContaining("does not implement io.outbox.EventListener");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(WithoutType.class))
        .withMessageContaining("has no event type");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(WithTwoTypes.class))
        .withMessageContaining("two event types, 'One' and 'Other'");
  }
}
