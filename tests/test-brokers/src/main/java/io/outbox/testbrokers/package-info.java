/** Real brokers for tests, a proxy that cuts them off, and the contract of every publisher. */
package io.outbox.testbrokers;
