/** What is done to nodes and servers while they work. */
package io.outbox.faults.scenario;
