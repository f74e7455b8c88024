/** Nodes tell each other of commits, or look for them. Not exported. */
package io.outbox.internal.signals;
