package io.outbox.benchmarks.contestant;

import java.util.function.IntConsumer;

/**
 * One way to deliver events, on one database. First it is prepared, then filled while nothing is
 * delivered, then started; it can be stopped, filled and started again.
 */
public interface Contestant extends AutoCloseable {

  /** What was set, for the table of results. */
  String settings();

  /** Creates its tables. Afterwards nothing is delivered yet. */
  void prepare() throws Exception;

  /** Adds {@code count} waiting events with the numbers from {@code first} on. */
  void fillWaiting(int first, int count, int bytes) throws Exception;

  /** Adds finished events, if this contestant keeps any. */
  default void fillFinished(int count) throws Exception {
    throw new UnsupportedOperationException("keeps no finished events");
  }

  /** Adds older events of another listener, and pauses that, if this contestant can. */
  default void fillPaused(int count) throws Exception {
    throw new UnsupportedOperationException("cannot pause a listener");
  }

  /** Starts delivery to {@code listener}, which is given the number of each event. */
  void start(IntConsumer listener) throws Exception;

  /**
   * Makes it possible to write, without delivery where the library has a switch for that; what is
   * delivered all the same goes to {@code listener}.
   */
  void startWriting(IntConsumer listener) throws Exception;

  /** Whether most of a start is that of a framework, which is then not counted. */
  default boolean startsFramework() {
    return false;
  }

  /** Commits {@code work}. */
  void transact(Tx.Work work) throws Exception;

  /** How many events are not finished in the database. */
  long unfinished() throws Exception;

  /** Asked again and again while the clock runs, so it should cost little. */
  default boolean isFinished() throws Exception {
    return unfinished() == 0;
  }

  /** Stops delivery. */
  void stop() throws Exception;

  /** Stops, and closes the connections. */
  @Override
  void close() throws Exception;
}
