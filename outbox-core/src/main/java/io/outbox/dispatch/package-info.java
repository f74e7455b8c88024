/** Delivering events: the dispatcher, its queues, workers and recorder. */
package io.outbox.dispatch;
