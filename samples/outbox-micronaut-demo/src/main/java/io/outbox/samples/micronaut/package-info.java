/** The outbox in a Micronaut application, told on the terminal. */
package io.outbox.samples.micronaut;
