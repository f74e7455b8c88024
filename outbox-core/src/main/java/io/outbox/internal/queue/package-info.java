/** Events that this process holds, and the queues where they wait for a worker. Not exported. */
package io.outbox.internal.queue;
