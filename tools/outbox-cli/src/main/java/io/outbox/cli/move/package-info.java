/** Moving in: events from the tables of other libraries. */
package io.outbox.cli.move;
