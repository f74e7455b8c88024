/** The outbox table over JDBC: its schema, and small helpers shared by stores and purgers. */
package io.outbox.jdbc;
