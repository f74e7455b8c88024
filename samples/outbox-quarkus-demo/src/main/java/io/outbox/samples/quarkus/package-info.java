/** A Quarkus application whose orders become events. */
package io.outbox.samples.quarkus;
