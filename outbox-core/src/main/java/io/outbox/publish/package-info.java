/** What publishers to brokers have in common: where an event goes, and how it is written there. */
package io.outbox.publish;
