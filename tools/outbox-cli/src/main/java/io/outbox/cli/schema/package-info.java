/** The commands about tables. */
package io.outbox.cli.schema;
