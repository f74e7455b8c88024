/** Writes events in the transactions of jOOQ. */
package io.outbox.jooq;
