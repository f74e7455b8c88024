/** The outbox in a Micronaut application. */
package io.outbox.micronaut;
