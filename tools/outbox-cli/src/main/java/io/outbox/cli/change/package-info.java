/** The commands that change events or pause delivery. */
package io.outbox.cli.change;
