/** The databases and tables of a configuration, and how their settings become outboxes. */
package io.outbox.relay.table;
