/** Clocks, threads and wake-ups of the engine. Not exported. */
package io.outbox.internal.time;
