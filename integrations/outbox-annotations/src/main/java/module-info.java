/** {@code @OutboxListener} without Spring. */
module io.outbox.annotation {
  requires static io.micronaut.micronaut_inject;
  requires transitive io.outbox.core;

  exports io.outbox.annotation;
  exports io.outbox.annotation.support;
}
