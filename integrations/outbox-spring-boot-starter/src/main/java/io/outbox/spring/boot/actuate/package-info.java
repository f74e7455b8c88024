/** The outbox in Spring Boot's Actuator: an endpoint and a health indicator. */
package io.outbox.spring.boot.actuate;
