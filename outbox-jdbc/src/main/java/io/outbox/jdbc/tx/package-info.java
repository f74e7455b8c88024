/** Transactions by hand, for programs without a framework. */
package io.outbox.jdbc.tx;
