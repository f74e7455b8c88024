package io.outbox.benchmarks.pieces;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.UnwrittenOutcomes;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRef;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to gather outcomes, for a database that takes no time. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class RecorderPieces {

  private static final Delivery EVENT =
      Delivery.ofCommitted(EventEnvelope.ofJson("Measured", "{}"), null);
  private static final EventRef REF = EVENT.ref();
  private static final Instant AT = Instant.now();

  /** A recorder whose outcomes are written at once. */
  @State(Scope.Benchmark)
  public static class Recording {
    private OutcomeRecorder<Delivery> recorder;

    @Setup
    public void start() {
      StoreSession session = new StoreSession(RecorderPieces::connection, store());
      recorder =
          new OutcomeRecorder<>(
              session, new Ignoring(), UnwrittenOutcomes.bounded(2_000, 1L << 40), true);
      recorder.start();
    }

    @TearDown
    public void stop() throws InterruptedException {
      recorder.close(List.of(), TimeUnit.SECONDS.toNanos(5));
    }
  }

  private static final class Ignoring implements OutcomeRecorder.Listener<Delivery> {
    @Override
    public void written(Delivery delivery, Outcome outcome) {}

    @Override
    public void abandoned(Delivery delivery, Outcome outcome) {
      throw new IllegalStateException("abandoned " + outcome);
    }

    @Override
    public void batchEnded() {}
  }

  private static OutboxStore store() {
    return proxy(
        OutboxStore.class,
        (method, args) ->
            method.equals("recordOutcomes")
                ? Collections.nCopies(((List<?>) args[1]).size(), OutcomeResult.WRITTEN)
                : null);
  }

  private static Connection connection() {
    return proxy(Connection.class, (method, args) -> method.equals("getAutoCommit") ? true : null);
  }

  private interface Answer {
    Object to(String method, Object[] args);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> answer.to(method.getName(), args)));
  }

  /** An operation is an outcome that was taken: when too many are unwritten they are waited for. */
  @Benchmark
  public void submit(Recording state) {
    state.recorder.submit(EVENT, Outcome.done(REF, 0, AT));
  }
}
