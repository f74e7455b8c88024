/** Publishes events by HTTP, as webhooks do. */
package io.outbox.http;
