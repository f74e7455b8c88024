/** Finds and locks rows that are old enough to leave the table. */
package io.outbox.jdbc.internal.finished;
