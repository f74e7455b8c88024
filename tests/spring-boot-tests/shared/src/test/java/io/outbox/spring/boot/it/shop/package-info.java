/** A shop with JPA, as a user would write it. */
package io.outbox.spring.boot.it.shop;
