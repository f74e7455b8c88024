/** What is measured: a plain JDBC loop, our outbox, and the libraries one would pick instead. */
package io.outbox.benchmarks.contestant;
