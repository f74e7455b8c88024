/** The processes of nodes, and how the campaign steers them. */
package io.outbox.faults.node;
