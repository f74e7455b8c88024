/** Spring Boot, JPA and the starter. */
package io.outbox.samples.starter;
