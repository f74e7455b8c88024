/** Checks of a table and its database, each with what to do about what it finds. */
package io.outbox.cli.doctor;
