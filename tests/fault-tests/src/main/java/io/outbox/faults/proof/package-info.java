/** Shows from journals and the table that nothing was lost, invented or out of order. */
package io.outbox.faults.proof;
