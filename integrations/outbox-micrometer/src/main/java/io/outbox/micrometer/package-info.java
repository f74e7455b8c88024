/** Metrics of the outbox, through Micrometer. */
package io.outbox.micrometer;
