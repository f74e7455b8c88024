/** Finding the listener of an event. */
package io.outbox.registry;
