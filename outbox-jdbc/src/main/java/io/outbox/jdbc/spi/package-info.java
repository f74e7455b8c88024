/** What a database does its own way, for databases that this library does not know. */
package io.outbox.jdbc.spi;
