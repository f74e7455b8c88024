import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.h2.jdbcx.JdbcDataSource;

/**
 * The hops of one event in each mode: how many classes and methods of outbox-core it crosses from
 * {@code write} until its outcome is recorded, on H2, and how many calls that takes. A debugger
 * counts them. With {@code -v} it names them.
 *
 * <pre>java -cp outbox-core/target/classes:outbox-jdbc/target/classes:h2.jar tools/house/Hops.java
 * </pre>
 */
class Hops {

  /** An event passes these threads; the others do the same whether there is one or not. */
  private static final List<String> THREADS =
      List.of("main", "outbox-worker-", "outbox-recorder-", "outbox-poller-", "outbox-feeder-");

  private static final List<String> MODES =
      List.of("singleNode", "multiNode", "ordered", "orderedByKey");

  private static final long QUIET_MILLIS = 1_000;

  public static void main(String[] args) throws Exception {
    if (args.length == 2) {
      try {
        deliver(args[1]);
      } finally {
        System.exit(0); // whatever threads there are
      }
    }
    System.out.println("| mode | classes | methods | calls |\n|---|---|---|---|");
    for (String mode : MODES) {
      Map<String, Integer> calls = trace(mode);
      long types = calls.keySet().stream().map(name -> name.split("[ $]")[0]).distinct().count();
      int sum = calls.values().stream().mapToInt(Integer::intValue).sum();
      System.out.printf("| `%s()` | %d | %d | %d |%n", mode, types, calls.size(), sum);
      if (args.length > 0) {
        calls.forEach((name, count) -> System.out.println("  " + count + " " + name));
      }
    }
  }

  // ---- the debugger

  private static Map<String, Integer> trace(String mode) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Argument> arguments = connector.defaultArguments();
    arguments.get("options").setValue("-cp " + System.getProperty("java.class.path"));
    arguments.get("main").setValue("tools/house/Hops.java deliver " + mode);
    VirtualMachine vm = connector.launch(arguments);
    Thread errors = new Thread(() -> print(vm.process()));
    errors.setDaemon(true);
    errors.start();
    ClassPrepareRequest loaded = vm.eventRequestManager().createClassPrepareRequest();
    loaded.addClassFilter("Hops");
    loaded.enable();
    MethodEntryRequest all = vm.eventRequestManager().createMethodEntryRequest();
    all.addClassFilter("io.outbox.*");
    all.addClassExclusionFilter("io.outbox.jdbc.*");
    all.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    Map<String, Integer> calls = new TreeMap<>();
    Map<ThreadReference, String> threads = new HashMap<>();
    try {
      while (true) {
        EventSet events = vm.eventQueue().remove();
        for (Event event : events) {
          if (event instanceof ClassPrepareEvent prepared) {
            stopAt(prepared.referenceType(), "begin");
            stopAt(prepared.referenceType(), "end");
          } else if (event instanceof BreakpointEvent stop) {
            all.setEnabled(stop.location().method().name().equals("begin"));
          } else if (event instanceof MethodEntryEvent entry) {
            Method method = entry.method();
            String type = method.declaringType().name();
            if (isWritten(type, method)
                && counts(threads.computeIfAbsent(entry.thread(), ThreadReference::name))) {
              calls.merge(type + " " + method.name() + method.signature(), 1, Integer::sum);
            }
          }
        }
        events.resume();
      }
    } catch (VMDisconnectedException end) {
      return calls;
    }
  }

  /** A request for all entries from the start would make the whole program slow. */
  private static void stopAt(ReferenceType type, String method) {
    type.virtualMachine()
        .eventRequestManager()
        .createBreakpointRequest(type.methodsByName(method).get(0).location())
        .enable();
  }

  /** Not by the compiler, and no constructor. */
  private static boolean isWritten(String type, Method method) {
    return !type.contains("$$") && !method.name().contains("$") && !method.name().startsWith("<");
  }

  private static boolean counts(String thread) {
    return THREADS.stream().anyMatch(thread::startsWith);
  }

  private static void print(Process process) {
    try {
      String text = new String(process.getErrorStream().readAllBytes());
      text.lines().filter(line -> line.startsWith("Exception")).forEach(System.err::println);
    } catch (IOException e) {
      System.err.println(e);
    }
  }

  // ---- the one that is looked at

  private static void begin() {}

  private static void end() {}

  private static void deliver(String mode) throws Exception {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:hops;DB_CLOSE_DELAY=-1");
    OutboxSchema.create(dataSource);
    var connections = new DataSourceConnectionProvider(dataSource);
    var txContext = new ThreadLocalTxContext();
    var transactions = new JdbcTransactionManager(connections, txContext);
    Semaphore delivered = new Semaphore(0);
    var listeners = new DefaultListenerRegistry().registerDefault(event -> called(delivered));
    Outbox.AbstractBuilder<?> builder =
        switch (mode) {
          case "singleNode" -> Outbox.singleNode();
          case "multiNode" -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5));
          case "ordered" -> Outbox.ordered();
          default -> {
            OutboxSchema.createOrderedByKey(dataSource);
            yield Outbox.orderedByKey();
          }
        };
    builder.connectionProvider(connections).txContext(txContext).outboxStore(new H2OutboxStore());
    try (Outbox outbox = builder.listenerRegistry(listeners).intervalMs(600_000).build()) {
      for (int i = 0; i < 3; i++) {
        Thread.sleep(QUIET_MILLIS);
        if (i == 2) {
          begin();
        }
        try (var tx = transactions.begin()) {
          outbox
              .writer()
              .write(
                  EventEnvelope.builder("T")
                      .aggregateType("A")
                      .aggregateId("1")
                      .payloadJson("{}")
                      .build());
          tx.commit();
        }
        delivered.acquire();
      }
      Thread.sleep(QUIET_MILLIS);
      end();
    }
  }

  private static DispatchResult called(Semaphore delivered) {
    delivered.release();
    return DispatchResult.done();
  }
}
