/** The commands that look at archived events and replay them. */
package io.outbox.cli.archive;
