/** Finding and replaying events that were given up. */
package io.outbox.dead;
