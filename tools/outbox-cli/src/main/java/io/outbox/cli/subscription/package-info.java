/** Commands about subscriptions. */
package io.outbox.cli.subscription;
