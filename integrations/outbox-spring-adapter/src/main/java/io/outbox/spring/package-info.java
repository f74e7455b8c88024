/** Spring's transactions as those of the outbox. */
package io.outbox.spring;
