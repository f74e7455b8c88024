/** Purgers for H2, PostgreSQL, MySQL and MariaDB. */
package io.outbox.jdbc.purge;
