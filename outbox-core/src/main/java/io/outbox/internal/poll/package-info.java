/** The cold path: from the table to a dispatcher or a handler. Not exported. */
package io.outbox.internal.poll;
