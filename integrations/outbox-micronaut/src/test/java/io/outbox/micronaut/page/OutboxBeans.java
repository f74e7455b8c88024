package io.outbox.micronaut.page;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.micronaut.OutboxBuilderCustomizer;
import io.outbox.spi.JsonCodec;
import jakarta.inject.Singleton;

/** The application's own beans of the page. */
@Requires(property = "spec", value = "page")
// snippet: micronaut-beans
@Factory
class OutboxBeans {

  @Singleton
  JsonCodec codec() { // instead of the one that the class path has
    return new GsonJsonCodec();
  }

  @Singleton
  EventInterceptor audit() {
    return EventInterceptor.before(event -> System.out.println("Delivering " + event.eventId()));
  }

  @Singleton
  OutboxBuilderCustomizer deadLetters() { // for settings without a property
    return builder -> {
      if (builder instanceof Outbox.DispatchingBuilder<?> dispatching) {
        dispatching.onDead((event, error) -> System.err.println(event.eventId() + ": " + error));
      }
    };
  }
}
// end
