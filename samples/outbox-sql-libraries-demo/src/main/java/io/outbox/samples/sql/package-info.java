/** Events in transactions of jOOQ and MyBatis, told on the terminal. */
package io.outbox.samples.sql;
