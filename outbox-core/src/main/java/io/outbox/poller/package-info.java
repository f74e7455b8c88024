/** Finding events that wait in the table. */
package io.outbox.poller;
