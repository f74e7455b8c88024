/** The wiring of an outbox in Quarkus; not for applications. */
package io.outbox.quarkus.runtime;
