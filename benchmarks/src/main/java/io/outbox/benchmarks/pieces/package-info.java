/** What the parts of the outbox cost alone, measured with JMH. */
package io.outbox.benchmarks.pieces;
