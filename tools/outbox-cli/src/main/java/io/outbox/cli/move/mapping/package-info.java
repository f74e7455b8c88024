/** Which rows of a table become events, and how. */
package io.outbox.cli.move.mapping;
