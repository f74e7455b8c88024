/** Writes new events. */
package io.outbox.jdbc.internal.insert;
