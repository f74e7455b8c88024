package io.outbox.spring.boot.publish;

import io.outbox.AsyncEventListener;
import io.outbox.publish.Destination;

/** Puts something around publishers, such as tracing, whose classes need not be there. */
@FunctionalInterface
public interface PublisherDecorator {

  AsyncEventListener decorate(String system, Destination destination, AsyncEventListener publisher);
}
