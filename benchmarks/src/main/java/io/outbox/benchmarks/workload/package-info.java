/** What contestants are asked to do, and the process in which one of them does it. */
package io.outbox.benchmarks.workload;
