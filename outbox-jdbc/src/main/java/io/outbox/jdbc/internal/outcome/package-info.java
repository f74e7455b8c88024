/** Changes events that are known by their ids: outcomes, leases, and the dead. */
package io.outbox.jdbc.internal.outcome;
