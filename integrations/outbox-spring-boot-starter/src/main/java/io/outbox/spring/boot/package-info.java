/** An outbox in a Spring Boot application: auto-configuration, properties, listeners. */
package io.outbox.spring.boot;
