/** Events of each key in order: reading, queueing and writing them. Not exported. */
package io.outbox.internal.keyed;
