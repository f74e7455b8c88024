/** Stores for H2, PostgreSQL, MySQL and MariaDB. */
package io.outbox.jdbc.store;
