/** Traces from the write of an event to its listener and to a broker's consumers. */
package io.outbox.tracing;
