/** Nodes of their own JVMs on servers that fail, and the proof that nothing was lost. */
package io.outbox.faults;
