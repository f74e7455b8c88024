/** Which event goes where. */
package io.outbox.relay.rule;
