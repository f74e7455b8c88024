/** Writes Spring's application events to the outbox, in the transaction that publishes them. */
package io.outbox.spring.events;
