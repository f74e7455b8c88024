package io.outbox.benchmarks.kafka;

import io.outbox.benchmarks.contestant.Setup;
import io.outbox.benchmarks.contestant.ToKafka;
import io.outbox.testdb.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The main class of a process that measures one listener once, after two warm-ups. */
public final class DrainProcess {

  /** The prefix of the line with the number of events per second. */
  public static final String RATE = "events per second: ";

  private static final int PARTITIONS = 6;
  private static final int WARM_UP_SECONDS = 5;

  private DrainProcess() {}

  /** Listener, servers, user, events, bytes, seconds, and the databases, the last one measured. */
  public static void main(String[] args) throws Exception {
    ToKafka.Listener listener = ToKafka.Listener.valueOf(args[0]);
    String servers = args[1];
    int events = Integer.parseInt(args[3]);
    int bytes = Integer.parseInt(args[4]);
    int limit = Integer.parseInt(args[5]);
    List<String> urls = List.of(args).subList(6, args.length);
    double rate = 0;
    for (int i = 0; i < urls.size(); i++) {
      String topic = "bench-" + ProcessHandle.current().pid() + "-" + i;
      createTopic(servers, topic);
      Setup setup = new Setup(TestDatabase.POSTGRES, urls.get(i), args[2], "", 0, 0, null);
      boolean last = i == urls.size() - 1;
      try (ToKafka contestant = new ToKafka(setup, listener, servers, topic)) {
        rate = contestant.drain(events, bytes, last ? limit : WARM_UP_SECONDS);
      }
    }
    System.out.println(RATE + rate);
    Runtime.getRuntime().halt(0);
  }

  private static void createTopic(String servers, String topic) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin
          .createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }
}
