/**
 * The outbox on plain JDBC, told step by step. Start reading at {@link
 * io.outbox.samples.demo.Demo}.
 */
package io.outbox.samples.demo;
