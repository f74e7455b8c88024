/** The commands that show events, keys and operators' actions. */
package io.outbox.cli.query;
