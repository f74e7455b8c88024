/** Stores events in a relational database through JDBC. */
package io.outbox.jdbc;
