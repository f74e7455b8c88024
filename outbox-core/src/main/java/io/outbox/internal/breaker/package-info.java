/**
 * Circuit breakers: which listener or destination is down, and when it is tried again. Not
 * exported.
 */
package io.outbox.internal.breaker;
