/** Reads and claims events that are due. */
package io.outbox.jdbc.internal.pending;
