package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxDataSource;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.InMemoryOutboxStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

/** An application that is not configured as it should be does not start, and says what to do. */
@ExtendWith(OutputCaptureExtension.class)
class WrongConfigurationTest {

  @Configuration(proxyBeanMethods = false)
  @JdbcApplication
  static class Application {}

  private static void start(Class<?> source, String... properties) {
    new SpringApplicationBuilder(Application.class, source)
        .web(WebApplicationType.NONE)
        .properties("spring.datasource.url=" + Outboxes.inMemory())
        .properties(properties)
        .run()
        .close();
  }

  /** What Spring Boot prints in the end. */
  private static void assertFails(
      CapturedOutput output, List<String> words, Class<?> source, String... properties) {
    assertThatThrownBy(() -> start(source, properties)).isNotNull();
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "Description:", "Action:")
        .contains(words);
  }

  @Configuration(proxyBeanMethods = false)
  static class Nothing {}

  @Test
  void anUnknownMode(CapturedOutput output) {
    assertFails(
        output,
        List.of("outbox.mode", "two-nodes", "MULTI_NODE", "SINGLE_NODE", "WRITER_ONLY", "ORDERED"),
        Nothing.class,
        "outbox.mode=two-nodes");
  }

  @Test
  void manyNodesWithoutClaimLocking(CapturedOutput output) {
    assertFails(
        output,
        List.of(
            "outbox.mode is multi-node",
            "Set outbox.claim-locking.enabled=true",
            "outbox.mode=single-node"),
        Nothing.class,
        "outbox.mode=multi-node");
  }

  @Test
  void aTimeoutWhereOrderIsPromised(CapturedOutput output) {
    assertFails(
        output,
        List.of("outbox.dispatcher.listener-timeout", "ordered-by-key", "Remove"),
        Nothing.class,
        "outbox.mode=ordered-by-key",
        "outbox.dispatcher.listener-timeout=1s");
  }

  @Test
  void notificationsWithoutPostgres(CapturedOutput output) {
    assertFails(
        output,
        List.of("outbox.ordered-by-key.notifications", "PostgreSQL"),
        Nothing.class,
        "outbox.mode=ordered-by-key",
        "outbox.ordered-by-key.notifications=true");
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.dispatcher.worker-count, 0, at least 1",
    "outbox.dispatcher.max-in-flight, 0, at least 1",
    "outbox.dispatcher.listener-timeout, 0s, longer than zero",
    "outbox.dispatcher.hot-queue-capacity, 0, at least 1",
    "outbox.dispatcher.cold-queue-capacity, -1, at least 1",
    "outbox.dispatcher.max-queued-bytes, 0, at least 1",
    "outbox.dispatcher.drain-timeout-ms, -1, at least 0",
    "outbox.retry.max-attempts, 0, at least 1",
    "outbox.retry.max-age, 0s, longer than zero",
    "outbox.retry.base-delay-ms, -1, at least 1",
    "outbox.retry.max-delay-ms, 1, at least 200",
    "outbox.health.max-lag, -1s, negative",
    "outbox.health.max-dead, -1, negative",
    "outbox.poller.interval-ms, 0, at least 1",
    "outbox.poller.batch-size, 0, at least 1",
    "outbox.poller.skip-recent-ms, -1, negative",
    "outbox.table-name, drop table, is not a table name",
  })
  void aValueThatMakesNoSense(String property, String value, String why, CapturedOutput output) {
    assertFails(output, List.of(property, why), Nothing.class, property + "=" + value);
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.claim-locking.lock-timeout, 1ms",
    "outbox.dispatcher.missing-listener-grace, -1s",
    "outbox.purge.retention, -1s",
    "outbox.purge.batch-size, 0",
    "outbox.purge.interval-seconds, 0",
  })
  void aValueThatMakesNoSenseForWhatIsSwitchedOn(
      String property, String value, CapturedOutput output) {
    assertFails(
        output,
        List.of("The property " + property + " cannot be used", "Correct the value of " + property),
        Nothing.class,
        property + "=" + value,
        "outbox.mode=multi-node",
        "outbox.claim-locking.enabled=true",
        "outbox.purge.enabled=true");
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoDataSources {
    @Bean
    DataSource orders() {
      return new DriverManagerDataSource(Outboxes.inMemory());
    }

    @Bean
    DataSource customers() {
      return new DriverManagerDataSource(Outboxes.inMemory());
    }
  }

  @Test
  void twoDataSourcesWithoutAChoice(CapturedOutput output) {
    assertFails(
        output,
        List.of("customers, orders", "outbox.datasource", "@OutboxDataSource", "@Primary"),
        TwoDataSources.class);
  }

  @Test
  void aDataSourceThatIsNotThere(CapturedOutput output) {
    assertFails(
        output,
        List.of("'invoices'", "Name one of these: customers, orders"),
        TwoDataSources.class,
        "outbox.datasource=invoices");
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoMarkedDataSources {
    @Bean
    @OutboxDataSource
    DataSource orders() {
      return new DriverManagerDataSource(Outboxes.inMemory());
    }

    @Bean
    @OutboxDataSource
    DataSource customers() {
      return new DriverManagerDataSource(Outboxes.inMemory());
    }
  }

  @Test
  void twoDataSourcesThatAreBothMarked(CapturedOutput output) {
    assertFails(
        output, List.of("Several DataSource beans", "only the one"), TwoMarkedDataSources.class);
  }

  @Test
  void aMissingTable(CapturedOutput output) {
    assertFails(
        output,
        List.of(
            "outbox_event",
            "the table is missing",
            "outbox.schema.initialize=always",
            "spring.flyway.locations=",
            "schema/outbox-liquibase/changelog.sql",
            "outbox.schema.validate=false"),
        Nothing.class,
        "outbox.schema.initialize=never");
  }

  @Test
  void aMissingTableInARealDatabase(CapturedOutput output) {
    try (Database database = TestDatabase.POSTGRES.fresh()) {
      assertFails(
          output,
          List.of("the table is missing", "outbox.schema.initialize=always"),
          Nothing.class,
          "spring.datasource.url=" + database.jdbcUrl(),
          "spring.datasource.username=" + database.user(),
          "spring.datasource.password=" + database.password());
    }
  }

  @Test
  void aDatabaseThatCannotBeReached(CapturedOutput output) {
    assertFails(
        output,
        List.of("cannot use its database", "Connection refused", "can be reached"),
        Nothing.class,
        "spring.datasource.url=jdbc:h2:tcp://localhost:1/shop",
        "spring.datasource.hikari.connection-timeout=250");
  }

  @Configuration(proxyBeanMethods = false)
  static class UnknownDatabase {
    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource(Outboxes.inMemory()) {
        @Override
        public Connection getConnection() {
          return answering(
              Connection.class,
              Map.of("getMetaData", answering(DatabaseMetaData.class, Map.of(NAME, "dBase"))));
        }
      };
    }

    private static final String NAME = "getDatabaseProductName";

    private static <T> T answering(Class<T> type, Map<String, Object> answers) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> answers.get(method.getName())));
    }
  }

  @Test
  void aDatabaseThatNoStoreKnows(CapturedOutput output) {
    assertFails(
        output,
        List.of("no outbox store for dBase", "H2, PostgreSQL, MySQL or MariaDB", "OutboxStore"),
        UnknownDatabase.class);
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnStore {
    @Bean
    OutboxStore ownStore() {
      return new InMemoryOutboxStore();
    }
  }

  @Test
  void noPurgerForAStoreOfTheApplicationsOwn(CapturedOutput output) {
    assertFails(
        output,
        List.of("no purger for the store", "InMemoryOutboxStore", "io.outbox.spi.EventPurger"),
        OwnStore.class,
        "outbox.purge.enabled=true");
  }

  @Test
  void anArchiveThatCannotBe(CapturedOutput output) {
    assertFails(
        output,
        List.of("outbox.purge.archive.directory is not set", "survives a restart"),
        Nothing.class,
        "outbox.purge.enabled=true",
        "outbox.purge.archive.to=files");
    assertFails(
        output,
        List.of("outbox.purge.archive.max-part-size cannot be used"),
        Nothing.class,
        "outbox.purge.enabled=true",
        "outbox.purge.archive.to=files",
        "outbox.purge.archive.directory=archive",
        "outbox.purge.archive.max-part-size=10B");
    assertFails(
        output,
        List.of("in the mode writer-only no event is finished"),
        Nothing.class,
        "outbox.mode=writer-only",
        "outbox.purge.enabled=true",
        "outbox.purge.archive.to=table");
  }

  @Configuration(proxyBeanMethods = false)
  static class SimpleStore {
    @Bean
    OutboxStore simpleStore() {
      return UnknownDatabase.answering(
          OutboxStore.class, Map.of("supportsDeletes", false, "hashCode", 1, "equals", false));
    }
  }

  @Test
  void aStoreThatCannotDelete(CapturedOutput output) {
    assertFails(
        output,
        List.of("outbox.delete-on-done is true", "cannot delete", "outbox.delete-on-done=false"),
        SimpleStore.class,
        "outbox.delete-on-done=true");
  }

  /** For classes whose annotation is wrong. */
  abstract static class Listener implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return DispatchResult.done();
    }
  }

  enum Orders implements EventType {
    PLACED,
    SHIPPED
  }

  static class Unnamed implements EventType {
    @Override
    public String name() {
      return " ";
    }
  }

  static class Named implements EventType {
    @Override
    public String name() {
      return "named";
    }
  }

  static class WithParameter implements EventType {
    WithParameter(String name) {}

    @Override
    public String name() {
      return "parameter";
    }
  }

  @OutboxListener
  static class WithoutEventType extends Listener {}

  @OutboxListener(eventTypeClass = Orders.class)
  static class WithoutConstant extends Listener {}

  @OutboxListener(eventTypeClass = Orders.class, eventType = "LOST")
  static class WithoutSuchConstant extends Listener {}

  @OutboxListener(eventTypeClass = Unnamed.class)
  static class WithBlankName extends Listener {}

  @OutboxListener(eventTypeClass = Named.class, eventType = "other")
  static class WithTwoNames extends Listener {}

  @OutboxListener(eventTypeClass = WithParameter.class)
  static class WithoutInstance extends Listener {}

  @OutboxListener("OrderPlaced")
  static class NoListener {}

  @OutboxListener("OrderPlaced")
  static class BoundAndAnnotated extends BoundEventListener {
    BoundAndAnnotated() {
      super("Order", "Placed");
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return DispatchResult.done();
    }
  }

  static class NoParameter {
    @OutboxListener("OrderPlaced")
    void placed() {}
  }

  static class ThreeParameters {
    @OutboxListener("OrderPlaced")
    void placed(EventEnvelope event, String json, Integer number) {}
  }

  static class WrongResult {
    @OutboxListener("OrderPlaced")
    boolean placed(EventEnvelope event) {
      return true;
    }
  }

  static class PrivateMethod {
    @OutboxListener("OrderPlaced")
    private void placed(EventEnvelope event) {
      throw new AssertionError(event);
    }
  }

  @Transactional
  static class FinalMethod {
    @OutboxListener("OrderPlaced")
    final void placed(EventEnvelope event) {}
  }

  static class GenericPayload {
    @OutboxListener("OrderPlaced")
    void placed(List<Named> orders) {}
  }

  static class PrimitivePayload {
    @OutboxListener("OrderPlaced")
    void placed(int order) {}
  }

  static class MethodWithoutEventType {
    @OutboxListener(aggregateType = "Order")
    void placed(EventEnvelope event) {}
  }

  static class TwoMethods {
    @OutboxListener("OrderPlaced")
    void mail(EventEnvelope event) {}

    @OutboxListener("OrderPlaced")
    void invoice(EventEnvelope event) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class RegisteredByHand {
    @Bean
    DefaultListenerRegistry registry() {
      return new DefaultListenerRegistry().register("OrderPlaced", event -> DispatchResult.done());
    }

    @OutboxListener("OrderPlaced")
    void mail(EventEnvelope event) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnRegistry {
    @Bean
    ListenerRegistry registry() {
      return (aggregateType, eventType) -> null;
    }

    @OutboxListener("OrderPlaced")
    void mail(EventEnvelope event) {}
  }

  static class BehindAnInterface implements Runnable {
    @Override
    @Transactional
    public void run() {}

    @OutboxListener("OrderPlaced")
    public void placed(EventEnvelope event) {}
  }

  @Test
  void aMethodThatTheProxyOfItsBeanDoesNotHave(CapturedOutput output) {
    assertFails(
        output,
        List.of("method placed", "cannot be called through the proxy", "in an interface"),
        BehindAnInterface.class,
        "spring.aop.proxy-target-class=false");
  }

  record Wrong(Class<?> source, List<String> words) {
    static Wrong of(Class<?> source, String... words) {
      return new Wrong(source, List.of(words));
    }

    @Override
    public String toString() {
      return source.getSimpleName();
    }
  }

  static Stream<Wrong> wrongListeners() {
    return Stream.of(
        Wrong.of(WithoutEventType.class, "has no event type", "@OutboxListener(\"OrderPlaced\")"),
        Wrong.of(WithoutConstant.class, "not which constant", "PLACED, SHIPPED"),
        Wrong.of(WithoutSuchConstant.class, "which has no LOST", "PLACED, SHIPPED"),
        Wrong.of(WithBlankName.class, "name() is blank"),
        Wrong.of(WithTwoNames.class, "'named'", "'other'", "Remove one of the two"),
        Wrong.of(WithoutInstance.class, "cannot be instantiated", "without parameters"),
        Wrong.of(NoListener.class, "does not implement io.outbox.EventListener"),
        Wrong.of(BoundAndAnnotated.class, "is a BoundEventListener", "Remove the annotation"),
        Wrong.of(NoParameter.class, "method placed", "takes no parameters", "EventEnvelope"),
        Wrong.of(ThreeParameters.class, "takes io.outbox.EventEnvelope, java.lang.String"),
        Wrong.of(WrongResult.class, "returns boolean", "DispatchResult"),
        Wrong.of(PrivateMethod.class, "is private"),
        Wrong.of(FinalMethod.class, "is final"),
        Wrong.of(GenericPayload.class, "java.util.List<", "a payload cannot be read", "an array"),
        Wrong.of(PrimitivePayload.class, "takes a int"),
        Wrong.of(MethodWithoutEventType.class, "method placed", "has no event type"),
        Wrong.of(
            TwoMethods.class,
            "two listeners for event type 'OrderPlaced'",
            "method mail",
            "method invoice",
            "An event has one listener"),
        Wrong.of(RegisteredByHand.class, "two listeners", "registered by hand", "method mail"),
        Wrong.of(OwnRegistry.class, "is not the one DefaultListenerRegistry"));
  }

  @ParameterizedTest
  @MethodSource("wrongListeners")
  void aListenerThatCannotBeOne(Wrong wrong, CapturedOutput output) {
    assertFails(output, wrong.words(), wrong.source());
  }

  @Test
  void aPairRegisteredTwiceKeepsWhatTheRegistrySaid() {
    assertThatThrownBy(() -> start(RegisteredByHand.class))
        .rootCause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("already");
  }
}
