/** How fast events get from PostgreSQL to Kafka: the processes that {@code bench-kafka} starts. */
package io.outbox.benchmarks.kafka;
