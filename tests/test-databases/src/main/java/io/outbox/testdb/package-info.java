/** Starts real databases for tests and benchmarks. */
package io.outbox.testdb;
