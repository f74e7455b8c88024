/** One event for mail, Kafka and a webhook, each with its own retries; nothing to install. */
package io.outbox.samples.subscriptions;
