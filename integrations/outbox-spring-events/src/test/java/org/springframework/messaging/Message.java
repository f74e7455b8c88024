package org.springframework.messaging;

/** Stands in for the interface of spring-messaging. */
public interface Message<T> {}
