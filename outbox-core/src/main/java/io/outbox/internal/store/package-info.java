/** Bounded, watched calls of the store, and what is measured with them. Not exported. */
package io.outbox.internal.store;
