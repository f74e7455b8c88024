/** Spring Boot, JPA and Kafka: from an order to a shipment. */
package io.outbox.samples.bootkafka;
