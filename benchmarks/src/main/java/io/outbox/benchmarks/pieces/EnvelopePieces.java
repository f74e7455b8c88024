package io.outbox.benchmarks.pieces;

import io.outbox.EventEnvelope;
import io.outbox.internal.Ulid;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** An event's identifier, its making and its decoding. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class EnvelopePieces {

  private static final String PAYLOAD = "{\"n\":1,\"text\":\"" + "x".repeat(180) + "\"}";

  private final OutboxEvent plain = row(null);
  private final OutboxEvent withHeaders =
      row("{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}");

  private static OutboxEvent row(String headers) {
    Instant now = Instant.parse("2025-01-01T00:00:00Z");
    return OutboxEvent.builder("01JGF00000000000000000000A", "Measured")
        .aggregate("Order", "1")
        .payloadJson(PAYLOAD)
        .headersJson(headers)
        .availableAt(now)
        .createdAt(now)
        .build();
  }

  @Benchmark
  public String ulid() {
    return Ulid.next();
  }

  @Benchmark
  @Threads(4)
  public String ulidOfFourThreads() {
    return Ulid.next();
  }

  @Benchmark
  public EventEnvelope envelope() {
    return EventEnvelope.ofJson("Measured", PAYLOAD);
  }

  @Benchmark
  public EventEnvelope decode() {
    return EventEnvelope.fromRow(plain);
  }

  @Benchmark
  public EventEnvelope decodeWithHeaders() {
    return EventEnvelope.fromRow(withHeaders);
  }
}
