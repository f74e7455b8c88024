/** Writes events in reactive transactions, of plain R2DBC or of Spring. */
package io.outbox.r2dbc;
