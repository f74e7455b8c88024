/** The way to the database: addresses, drivers and passwords. */
package io.outbox.cli.connect;
