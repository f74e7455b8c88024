/** The brokers of a configuration, and how their settings become publishers. */
package io.outbox.relay.broker;
