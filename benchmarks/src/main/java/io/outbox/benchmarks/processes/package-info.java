/** Node processes that work on one database. */
package io.outbox.benchmarks.processes;
