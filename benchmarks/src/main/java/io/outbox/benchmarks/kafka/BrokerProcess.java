package io.outbox.benchmarks.kafka;

import io.outbox.testbrokers.KafkaBroker;

/** The main class of a process that is a Kafka broker until its input ends. */
public final class BrokerProcess {

  /** The prefix of the line with the address. */
  public static final String READY = "kafka is at ";

  private BrokerProcess() {}

  public static void main(String[] args) throws Exception {
    System.out.println(READY + KafkaBroker.shared().bootstrapServers());
    while (System.in.read() >= 0) {
      // The parent process says nothing, and ends.
    }
    System.exit(0);
  }
}
