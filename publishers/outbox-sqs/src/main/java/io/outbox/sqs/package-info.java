/** Publishes events to Amazon SQS. */
package io.outbox.sqs;
