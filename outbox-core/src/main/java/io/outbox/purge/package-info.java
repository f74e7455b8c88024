/** Deleting old events. */
package io.outbox.purge;
