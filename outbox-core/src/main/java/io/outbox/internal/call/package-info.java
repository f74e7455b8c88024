/** Calling listeners: workers, timeouts, circuit breakers, in-flight limits. Not exported. */
package io.outbox.internal.call;
