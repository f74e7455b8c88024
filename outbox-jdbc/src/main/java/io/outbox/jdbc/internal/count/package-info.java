/** Counts events, no further than a cap, and finds the oldest. */
package io.outbox.jdbc.internal.count;
