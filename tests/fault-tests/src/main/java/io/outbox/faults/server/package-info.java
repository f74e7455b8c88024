/** Databases and brokers that a scenario starts, and what it needs for that. */
package io.outbox.faults.server;
