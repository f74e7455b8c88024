package io.outbox.spring.events;

import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * An event that every recorder refuses: the publisher must notice, as it must of other refusals.
 */
final class StartProbe extends ApplicationEvent {

  private static final long serialVersionUID = 1L;

  StartProbe(OutboxEventRecorder recorder) {
    super(recorder);
  }

  void refuse() {
    throw new IllegalStateException("the outbox checks at the start that refusals are noticed");
  }

  /**
   * Publishes one.
   *
   * @throws IllegalStateException if nothing was thrown
   */
  static void publish(OutboxEventRecorder recorder, ApplicationEventPublisher publisher) {
    try {
      publisher.publishEvent(new StartProbe(recorder));
    } catch (RuntimeException noticed) {
      return;
    }
    throw new IllegalStateException(
        "the ErrorHandler of the ApplicationEventMulticaster hides failures from the publisher, so"
            + " data would be committed without its event: let the handler rethrow them, or remove"
            + " it");
  }
}
