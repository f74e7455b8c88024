/** What the commands share. */
package io.outbox.cli.command;
