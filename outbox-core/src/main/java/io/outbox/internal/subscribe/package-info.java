/** Copies of events for their subscriptions; not for users. */
package io.outbox.internal.subscribe;
