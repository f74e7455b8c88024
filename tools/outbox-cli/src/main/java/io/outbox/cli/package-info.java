/** See and steer an outbox from a shell. */
package io.outbox.cli;
