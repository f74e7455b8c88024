package io.outbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.model.EventRoute;
import io.outbox.publish.Addressed;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerNamesTest {

  private static final List<EventRoute> ROUTES =
      List.of(new EventRoute("Order", "Paid"), new EventRoute("Order", "Canceled"));

  private static class Publisher implements Addressed {
    @Override
    public String destinationOf(EventEnvelope event) {
      return null;
    }
  }

  private static final class Named extends Publisher {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    @Override
    public String toString() {
      if (name == null) {
        throw new IllegalStateException("odd");
      }
      return name;
    }
  }

  private record Secretive(String token) implements Addressed {
    @Override
    public String destinationOf(EventEnvelope event) {
      return null;
    }
  }

  private static String name(Object listener) {
    return ListenerNames.of(listener, ROUTES);
  }

  @Test
  void aListenerHasTheNameOfItsClass() {
    assertThat(name(new Publisher())).isEqualTo("ListenerNamesTest$Publisher");
  }

  @Test
  void whatTheCompilerMadeHasTheNameOfItsPlaceAndAnEvent() {
    EventListener lambda = event -> null;
    assertThat(name(lambda)).isEqualTo("ListenerNamesTest for Order/Canceled");
    assertThat(name(new Object() {})).isEqualTo("ListenerNamesTest for Order/Canceled");
    assertThat(ListenerNames.of(lambda, List.of())).isEqualTo("ListenerNamesTest");
  }

  @Test
  void aPublisherMayHaveANameOfItsOwn() {
    assertThat(name(new Named("orders-kafka"))).isEqualTo("orders-kafka");
    assertThat(name(new Named(" "))).isEqualTo("ListenerNamesTest$Named");
    assertThat(name(new Named(null))).isEqualTo("ListenerNamesTest$Named");
  }

  @Test
  void theFieldsOfARecordAreNotItsName() {
    assertThat(name(new Secretive("t0ken"))).isEqualTo("ListenerNamesTest$Secretive");
  }

  @Test
  void aReasonIsItsMessageAndWhatTheCauseAdds() {
    assertThat(ListenerNames.reason(new OutageException("down"))).isEqualTo("down");
    assertThat(ListenerNames.reason(new OutageException(null))).isEqualTo("OutageException");
    assertThat(ListenerNames.reason(new OutageException("down", new IOException("refused"))))
        .isEqualTo("down: refused");
    assertThat(ListenerNames.reason(new OutageException("is down", new IOException("down"))))
        .isEqualTo("is down");
  }
}
