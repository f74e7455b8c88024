package io.outbox.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.console.OutboxConsole;
import io.outbox.gson.GsonJsonCodec;
import io.outbox.http.HttpPublisher;
import io.outbox.inbox.Inbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.nats.NatsPublisher;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.redis.RedisPublisher;
import io.outbox.spring.SpringTxContext;
import io.outbox.sqs.SqsPublisher;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.tracing.OutboxTracing;
import io.outbox.wiring.Settings;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * R17: every public constructor, static method and setter of a builder refuses null at once and
 * says which argument it was, or is listed here as one that takes it.
 */
class NullArgumentsTest {

  /** Where null means something, as the Javadoc of each says: methods and constructors. */
  private static final Set<String> MAY_BE_NULL =
      Set.of(
          "DispatchResult.dead(String)#0",
          "DispatchResult.Dead(String)#0",
          "EventEnvelope.Builder.aggregateId(String)#0",
          "EventEnvelope.Builder.tenantId(String)#0",
          "EventEnvelope.Builder.payloadJson(String)#0", // build() says that there is no payload
          "EventEnvelope.Builder.orderingKey(String)#0",
          "EventEnvelope.Builder.partitionKey(String)#0",
          "Backlog(Map, int, Instant)#2",
          "EventRef(String, long, String)#2",
          "EventRef(String, long, String, long)#2",
          "EventRoute(String, String)#0",
          "EventRoute(String, String)#1",
          "EventKey.of(String, String, String, String)#0",
          "EventKey.of(String, String, String, String)#1",
          "EventKey.of(String, String, String, String)#2",
          "KeyBlock(EventKey, String, Instant, String)#3",
          "Member(String, String, boolean, Instant, Instant, Instant, String)#6",
          "MemberDetail.read(String)#0",
          "MemberDetail.Outage(String, String, String, String, Instant, Instant, List)#1",
          "MemberDetail.Outage(String, String, String, String, Instant, Instant, List)#5",
          "MemberDetail.MissingListener(EventRoute, Instant, boolean, String)#3",
          "RouteWithoutListener(EventRoute, Instant, String)#2",
          "ListenerOutage(String, String, String, String, Instant, Instant, List, List)#1",
          "ListenerOutage(String, String, String, String, Instant, Instant, List, List)#5",
          "WaitReason(Kind, String, Instant, Instant)#2",
          "WaitReason(Kind, String, Instant, Instant)#3",
          "Outcome(EventRef, EventStatus, int, Instant, String)#4",
          "Outcome.retry(EventRef, int, Instant, String)#3",
          "Outcome.dead(EventRef, int, Instant, String)#3",
          "AuditEntry(long, String, String, Instant, String, String, long, Instant)#5",
          "AuditEntry(long, String, String, Instant, String, String, long, Instant)#7",
          "DeliveryPause(String, String, String, Instant, String)#0",
          "DeliveryPause(String, String, String, Instant, String)#1",
          "DeliveryPause(String, String, String, Instant, String)#4",
          "DeliveryPause(String, String, String, String, String, Instant, String)#0",
          "DeliveryPause(String, String, String, String, String, Instant, String)#1",
          "DeliveryPause(String, String, String, String, String, Instant, String)#2",
          "DeliveryPause(String, String, String, String, String, Instant, String)#3",
          "DeliveryPause(String, String, String, String, String, Instant, String)#6",
          "EventPage(List, String, int, boolean)#1",
          "ArchiveReplay(long, long, String)#2",
          "Subscription(EventRoute, String, Instant, Instant)#3",
          "SubscriptionState(Subscription, Count, Count, Count, Instant, Duration)#4",
          "EventCopy(Subscription, String, EventSummary)#2",
          "CopyCounts.OfType(String, String, EventStatus, long, Instant)#4",
          "OutboxConsole.Builder.environment(String, String)#1",
          "OutboxConsoleServlet.Builder.environment(String, String)#1",
          "InsertStatement.Parameter(Class, Object)#1",
          "ListenerAddress(String, String, String)#2",
          "DefaultCodec(JsonCodec)#0",
          "Property.set(String, Object, Consumer)#1",
          "JsonCodec.setDefault(JsonCodec)#0");

  /** Types whose values are rows and questions, in which most things may be missing. */
  private static final List<String> MOSTLY_NULLABLE =
      List.of(
          "OutboxEvent.Builder.",
          "EventSummary(",
          "EventFilter.Builder.",
          "PendingQuery(",
          "PollCursor(",
          "PayloadMask.Content(",
          "Settings.",
          // data of a contract's tests
          "JsonCodecContract.");

  static Stream<Class<?>> modules() {
    return Stream.of(
        EventEnvelope.class,
        OutboxSchema.class,
        GsonJsonCodec.class,
        MicrometerMetricsExporter.class,
        OutboxTracing.class,
        InMemoryOutboxStore.class,
        Inbox.class,
        Settings.class,
        OutboxConsole.class,
        SpringTxContext.class,
        KafkaPublisher.class,
        RabbitMqPublisher.class,
        NatsPublisher.class,
        RedisPublisher.class,
        SqsPublisher.class,
        HttpPublisher.class);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void R17_nullIsRefusedAtOnceByName(Class<?> anchor) {
    List<Class<?>> types = PublicApi.besides(anchor);
    assertThat(types).contains(anchor);

    assertThat(types.stream().flatMap(type -> takers(type).stream()).flatMap(this::accepted))
        .as("these take null, or say nothing of it: refuse it, or list it as one that may be null")
        .isEmpty();
  }

  private static List<Executable> takers(Class<?> type) {
    List<Executable> takers = new ArrayList<>();
    if (Throwable.class.isAssignableFrom(type) || type.isEnum() || type.isAnnotation()) {
      return takers;
    }
    if (!Modifier.isAbstract(type.getModifiers())) {
      takers.addAll(List.of(type.getConstructors()));
    }
    for (Method method : type.getDeclaredMethods()) {
      boolean setter = type.getSimpleName().endsWith("Builder") && method.getParameterCount() > 0;
      if (Modifier.isPublic(method.getModifiers())
          && !method.isSynthetic()
          && (setter || Modifier.isStatic(method.getModifiers()))) {
        takers.add(method);
      }
    }
    return takers;
  }

  private Stream<String> accepted(Executable taker) {
    List<String> accepted = new ArrayList<>();
    Object[] samples = SampleValues.arguments(taker);
    for (int i = 0; i < samples.length; i++) {
      String name = name(taker, i);
      if (!taker.getParameterTypes()[i].isPrimitive() && !mayBeNull(name)) {
        Object[] arguments = samples.clone();
        arguments[i] = null;
        String answer = answer(taker, arguments);
        if (answer != null) {
          accepted.add(name + ": " + answer);
        }
      }
    }
    return accepted.stream();
  }

  private static boolean mayBeNull(String name) {
    return MAY_BE_NULL.contains(name) || MOSTLY_NULLABLE.stream().anyMatch(name::startsWith);
  }

  /** For example {@code EventEnvelope.builder(String)#0}. */
  private static String name(Executable taker, int index) {
    String types =
        String.join(", ", Stream.of(taker.getParameterTypes()).map(Class::getSimpleName).toList());
    String owner = taker.getDeclaringClass().getName();
    String type = owner.substring(owner.lastIndexOf('.') + 1).replace('$', '.');
    String method = taker instanceof Constructor<?> ? "" : "." + taker.getName();
    return type + method + "(" + types + ")#" + index;
  }

  /** Null if it was refused as it should be. */
  private static String answer(Executable taker, Object[] arguments) {
    try {
      call(taker, arguments);
      return "taken";
    } catch (InvocationTargetException e) {
      Throwable failure = e.getCause();
      boolean refused =
          failure instanceof NullPointerException || failure instanceof IllegalArgumentException;
      return refused && isNamed(failure, taker) ? null : failure.toString();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(taker.toString(), e);
    }
  }

  /** By a check, or by the JVM where the argument itself is used: it knows the name there. */
  private static boolean isNamed(Throwable failure, Executable taker) {
    String message = failure.getMessage();
    boolean byJvm = message != null && message.startsWith("Cannot ");
    return byJvm
        ? failure.getStackTrace()[0].getClassName().equals(taker.getDeclaringClass().getName())
        : message != null;
  }

  private static void call(Executable taker, Object[] arguments)
      throws ReflectiveOperationException {
    if (taker instanceof Constructor<?> constructor) {
      constructor.newInstance(arguments);
    } else if (Modifier.isStatic(taker.getModifiers())) {
      ((Method) taker).invoke(null, arguments);
    } else {
      Object builder = SampleValues.of(taker.getDeclaringClass());
      if (builder != null) {
        ((Method) taker).invoke(builder, arguments);
      } else {
        throw new InvocationTargetException(new IllegalArgumentException("no builder to try"));
      }
    }
  }
}
