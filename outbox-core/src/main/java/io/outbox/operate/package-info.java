/**
 * See and steer an outbox: what is in the table, what is stuck and why, and what to do about it.
 */
package io.outbox.operate;
