/** A ledger with JPA, whose events are delivered in order by account. */
package io.outbox.spring.boot.it.ledger;
