/** Spring Boot and Spring Modulith, whose application events go through an outbox. */
package io.outbox.samples.events;
