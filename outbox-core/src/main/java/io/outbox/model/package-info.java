/** Rows of the outbox table, and what the engine asks of a store and tells it. */
package io.outbox.model;
