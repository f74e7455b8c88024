/** An outbox in a Quarkus application: what applications may implement. */
package io.outbox.quarkus;
