/** Consumers that process every event once, however often it is delivered. */
package io.outbox.inbox;
