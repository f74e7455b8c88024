/** An application that publishes events, as docs/spring-events.md shows it. */
package io.outbox.spring.events.it.shop;
