/** A REST API that writes events in its transactions. */
package io.outbox.samples.spring;
