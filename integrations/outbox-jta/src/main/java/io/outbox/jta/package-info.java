/** JTA transactions as those of the outbox. */
package io.outbox.jta;
