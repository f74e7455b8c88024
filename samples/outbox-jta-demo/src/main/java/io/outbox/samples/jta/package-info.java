/** Events in JTA transactions, told on the terminal. */
package io.outbox.samples.jta;
