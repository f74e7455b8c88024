/** Measures delivery against a plain JDBC loop, in one run on one machine. */
package io.outbox.benchmarks;
