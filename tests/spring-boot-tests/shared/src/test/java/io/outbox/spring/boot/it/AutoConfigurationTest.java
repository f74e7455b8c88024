package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.testing.Await;
import io.outbox.testing.InMemoryOutboxStore;
import io.outbox.testing.PlainJsonCodec;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.RecordingMetrics;
import io.outbox.testing.StubTxContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

class AutoConfigurationTest {

  private final ApplicationContextRunner runner =
      Outboxes.runner().withUserConfiguration(Listening.class);

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    RecordingListener listener(DefaultListenerRegistry registry) {
      RecordingListener listener = new RecordingListener();
      registry.registerDefault(listener);
      return listener;
    }
  }

  @Test
  void aDataSourceIsEnough() {
    runner.run(
        context -> {
          assertThat(context)
              .hasNotFailed()
              .hasSingleBean(Outbox.class)
              .hasSingleBean(OutboxWriter.class)
              .hasSingleBean(ConnectionProvider.class)
              .hasSingleBean(RetryPolicy.class)
              .doesNotHaveBean(EventPurger.class);
          assertThat(context).getBean(OutboxStore.class).isInstanceOf(H2OutboxStore.class);
          assertThat(context).getBean(TxContext.class).isInstanceOf(SpringTxContext.class);
          assertThat(context.getBean(Outbox.class).isRunning()).isTrue();

          Outboxes.write(context, "OrderPlaced", "{}");
          context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
        });
  }

  @Test
  void withoutADataSourceThereIsNoOutbox() {
    Outboxes.withoutDataSource()
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
  }

  @Test
  void withoutTheCoreThereIsNoOutbox() {
    Outboxes.runner()
        .withClassLoader(new FilteredClassLoader(Outbox.class))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("outboxStore"));
  }

  @Test
  void theOutboxCanBeSwitchedOff() {
    Outboxes.runner()
        .withPropertyValues("outbox.enabled=false")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
  }

  @OutboxListener("OrderPlaced")
  static class OrderListener implements EventListener {
    static final RecordingListener CALLS = new RecordingListener();

    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
      return CALLS.onEvent(event);
    }
  }

  @Test
  void itWorksWhenEverythingIsLazy() {
    Outboxes.runner()
        .withBean(OrderListener.class)
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              OrderListener.CALLS.awaitCount(1, Outboxes.SOON);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"single-node", "SINGLE_NODE", "multi-node", "ordered", "ordered-by-key"})
  void everyModeDelivers(String mode) {
    runner
        .withPropertyValues(
            "outbox.mode=" + mode,
            "outbox.poller.interval-ms=50",
            "outbox.claim-locking.enabled=" + mode.equals("multi-node"),
            "outbox.claim-locking.owner-id=node-7")
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
              assertThat(context.getBean(RecordingListener.class).count()).isOne();
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"single-node", "multi-node", "ordered", "ordered-by-key"})
  void deliveredEventsAreDeletedIfAsked(String mode) {
    runner
        .withPropertyValues(
            "outbox.mode=" + mode,
            "outbox.delete-on-done=true",
            "outbox.poller.interval-ms=50",
            "outbox.claim-locking.enabled=" + mode.equals("multi-node"))
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of());
              assertThat(context.getBean(RecordingListener.class).count()).isOne();
            });
  }

  @Test
  void severalNodesLeaseTheirEvents() {
    runner
        .withPropertyValues(
            "outbox.mode=multi-node",
            "outbox.claim-locking.enabled=true",
            "outbox.claim-locking.owner-id=node-7")
        .run(
            context -> {
              RecordingListener listener = context.getBean(RecordingListener.class);
              listener.block();
              Outboxes.write(context, "OrderPlaced", "{}");
              listener.awaitCount(1, Outboxes.SOON);
              assertThat(
                      context
                          .getBean(JdbcTemplate.class)
                          .queryForObject("SELECT locked_by FROM outbox_event", String.class))
                  .startsWith("node-7");
              listener.release();
            });
  }

  @Test
  void nodesShareTheKeysInOrderByKey() {
    runner
        .withPropertyValues(
            "outbox.mode=ordered-by-key",
            "outbox.ordered-by-key.node=node-7",
            "outbox.ordered-by-key.after-dead=block",
            "outbox.retry.max-attempts=1")
        .run(
            context -> {
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              context.getBean(RecordingListener.class).failNext(1);
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 1));
              assertThat(
                      jdbc.queryForObject("SELECT max(owner) FROM outbox_event_lane", String.class))
                  .startsWith("node-7");
              assertThat(
                      jdbc.queryForObject("SELECT count(*) FROM outbox_event_block", Integer.class))
                  .isOne();
            });
  }

  @Test
  void aWriterOnlyWrites() {
    runner
        .withPropertyValues("outbox.mode=writer-only", "outbox.poller.interval-ms=1")
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              context.getBean(Outbox.class).stop();
              assertThat(Outboxes.counts(context)).isEqualTo(Map.of(EventStatus.NEW, 1));
            });
  }

  @Test
  void propertiesReachTheOutbox() {
    runner
        .withPropertyValues(
            "outbox.retry.max-attempts=2",
            "outbox.retry.base-delay-ms=1",
            "outbox.retry.max-delay-ms=1",
            "outbox.dispatcher.worker-count=1",
            "outbox.dispatcher.max-queued-bytes=1MB",
            "outbox.poller.interval-ms=20")
        .run(
            context -> {
              context.getBean(RecordingListener.class).failNext(2);
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 1));
              assertThat(context.getBean(RecordingListener.class).count()).isEqualTo(2);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"multi-node", "ordered-by-key"})
  void R25_whatNoNodeHasAListenerForWaitsForTheGracePeriod(String mode) {
    ApplicationContextRunner manyNodes =
        Outboxes.runner()
            .withPropertyValues(
                "outbox.mode=" + mode,
                "outbox.claim-locking.enabled=" + mode.equals("multi-node"),
                "outbox.poller.interval-ms=20");
    manyNodes
        .withPropertyValues("outbox.dispatcher.missing-listener-grace=0s")
        .run(
            context -> {
              Outboxes.write(context, "NobodyListens", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 1));
            });
    manyNodes.run(
        context -> {
          Outboxes.write(context, "NobodyListens", "{}");
          Await.until(
              "the condition",
              Outboxes.SOON,
              () -> !context.getBean(Outbox.class).conditions().isEmpty());
          assertThat(Outboxes.counts(context)).isEqualTo(Map.of(EventStatus.NEW, 1));
        });
  }

  @Test
  void anEventThatIsTooOldIsGivenUp() {
    runner
        .withPropertyValues("outbox.retry.max-age=1ms")
        .run(
            context -> {
              context.getBean(RecordingListener.class).failNext(10);
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DEAD, 1));
              // the first may come before the event is as old as that
              assertThat(context.getBean(RecordingListener.class).count()).isBetween(1, 2);
            });
  }

  @Test
  void theTableMayHaveAnotherName() {
    runner
        .withPropertyValues("outbox.table-name=shop_events")
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
              assertThat(
                      context
                          .getBean(JdbcTemplate.class)
                          .queryForObject("SELECT count(*) FROM shop_events", Integer.class))
                  .isOne();
            });
  }

  @Test
  void oldEventsArePurgedIfAsked() {
    runner
        .withPropertyValues("outbox.purge.enabled=true")
        .run(
            context ->
                assertThat(context).getBean(EventPurger.class).isInstanceOf(H2EventPurger.class));
    runner
        .withPropertyValues(
            "outbox.mode=writer-only",
            "outbox.purge.enabled=true",
            "outbox.purge.retention=0s",
            "outbox.purge.interval-seconds=1")
        .run(
            context -> {
              assertThat(context).getBean(EventPurger.class).isInstanceOf(H2AgeBasedPurger.class);
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of());
            });
  }

  @Test
  void finishedEventsAreArchived(@TempDir Path directory) {
    runner
        .withPropertyValues(
            "outbox.purge.enabled=true",
            "outbox.purge.retention=0s",
            "outbox.purge.interval-seconds=1",
            "outbox.purge.archive.to=table")
        .run(
            context -> {
              assertThat(context).getBean(EventPurger.class).isInstanceOf(ArchivingPurger.class);
              EventArchive archive =
                  EventArchive.ofTable(
                      context.getBean(ConnectionProvider.class),
                      context.getBean(OutboxStore.class));
              assertThat(archive.search(EventFilter.ALL, null, 10).events()).isEmpty();
              Outboxes.write(context, "OrderPlaced", "{}");
              Await.until(
                  "an archived event",
                  Outboxes.SOON,
                  () -> archive.search(EventFilter.ALL, null, 10).events().size() == 1);
            });
    runner
        .withPropertyValues(
            "outbox.purge.enabled=true",
            "outbox.purge.archive.to=files",
            "outbox.purge.archive.directory=" + directory)
        .run(
            context ->
                assertThat(context).getBean(EventPurger.class).isInstanceOf(ArchivingPurger.class));
  }

  @Test
  void interceptorsAndCustomizersOfTheApplicationAreUsed() {
    List<String> calls = new CopyOnWriteArrayList<>();
    runner
        .withBean(
            EventInterceptor.class,
            () -> EventInterceptor.before(event -> calls.add("intercepted " + event.eventType())))
        .withBean(
            OutboxBuilderCustomizer.class,
            () ->
                builder ->
                    ((Outbox.DispatchingBuilder<?>) builder)
                        .onDead((event, reason) -> calls.add("dead " + reason)))
        .run(
            context -> {
              context.getBean(RecordingListener.class).answer(DispatchResult.dead("no such order"));
              Outboxes.write(context, "OrderPlaced", "{}");
              Await.until("both calls", Outboxes.SOON, () -> calls.size() == 2);
            });
    assertThat(calls).containsExactly("intercepted OrderPlaced", "dead no such order");
  }

  @Test
  void everyBeanGivesWayToTheApplicationsOwn() {
    runner
        .withUserConfiguration(Own.class)
        .withPropertyValues("outbox.purge.enabled=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              for (Class<?> type :
                  List.of(
                      OutboxStore.class,
                      ConnectionProvider.class,
                      TxContext.class,
                      RetryPolicy.class,
                      EventPurger.class,
                      MetricsExporter.class,
                      JsonCodec.class)) {
                assertThat(context.getBeanNamesForType(type))
                    .as(type.getSimpleName())
                    .hasSize(1)
                    .allMatch(name -> name.startsWith("own"));
              }
              assertThat(JsonCodec.getDefault()).isSameAs(context.getBean(JsonCodec.class));

              StubTxContext tx = context.getBean(StubTxContext.class);
              tx.inTransaction(
                  () -> context.getBean(OutboxWriter.class).write("OrderPlaced", "{}"));
              context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean
    InMemoryOutboxStore ownStore() {
      return new InMemoryOutboxStore();
    }

    @Bean
    ConnectionProvider ownConnectionProvider(InMemoryOutboxStore store) {
      return store.database();
    }

    @Bean
    StubTxContext ownTxContext(InMemoryOutboxStore store) {
      return new StubTxContext(store.database());
    }

    @Bean
    RetryPolicy ownRetryPolicy() {
      return attempts -> 1;
    }

    @Bean
    EventPurger ownPurger() {
      return (conn, before, limit) -> 0;
    }

    @Bean
    MetricsExporter ownMetrics() {
      return new RecordingMetrics();
    }

    @Bean
    JsonCodec ownCodec() {
      return new PlainJsonCodec();
    }
  }

  @Test
  void anOutboxAndAWriterOfTheApplicationsOwnAreUsed() {
    runner
        .withUserConfiguration(OwnOutbox.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(Outbox.class).hasSingleBean(OutboxWriter.class);
              assertThat(context.getBean(OutboxWriter.class))
                  .isInstanceOf(DefaultOutboxWriter.class);
              assertThat(context.getBean(Outbox.class).isRunning()).isTrue();
              Outboxes.write(context, EventEnvelope.ofJson("OrderPlaced", "{}"));
              context.getBean(RecordingListener.class).awaitCount(1, Outboxes.SOON);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnOutbox {
    @Bean
    Outbox ownOutbox(
        ConnectionProvider connections,
        TxContext tx,
        OutboxStore store,
        ListenerRegistry registry) {
      return Outbox.ordered()
          .connectionProvider(connections)
          .txContext(tx)
          .outboxStore(store)
          .listenerRegistry(registry)
          .intervalMs(20)
          .autoStart(false)
          .build();
    }

    @Bean
    OutboxWriter ownWriter(TxContext tx, OutboxStore store) {
      return new DefaultOutboxWriter(tx, store);
    }
  }

  @Test
  void aListenerRegistryOfTheApplicationsOwnIsUsed() {
    RecordingListener listener = new RecordingListener();
    ListenerRegistry own = (aggregateType, eventType) -> (EventListener) listener;
    Outboxes.runner()
        .withBean("ownRegistry", ListenerRegistry.class, () -> own)
        .run(
            context -> {
              assertThat(context).hasSingleBean(ListenerRegistry.class);
              Outboxes.write(context, "OrderPlaced", "{}");
              listener.awaitCount(1, Outboxes.SOON);
            });
  }

  @Test
  void jsonGoesThroughTheJacksonOfTheApplication() {
    runner
        .withConfiguration(AutoConfigurations.of(Boot.JACKSON))
        .run(
            context -> {
              assertThat(context).getBean(JsonCodec.class).isInstanceOf(Boot.JACKSON_CODEC);
              assertThat(JsonCodec.getDefault()).isSameAs(context.getBean(JsonCodec.class));
            });
    assertThat(JsonCodec.getDefault()).isNotInstanceOf(Boot.JACKSON_CODEC);
  }

  @Test
  void withoutJacksonTheCodecOfTheClassPathIsUsed() {
    runner.run(
        context -> {
          assertThat(context).doesNotHaveBean(JsonCodec.class);
          Outboxes.write(
              context, EventEnvelope.builder("OrderPlaced").payload(Map.of("id", 17)).build());
          assertThat(JsonCodec.getDefault().getClass().getSimpleName()).isEqualTo("GsonJsonCodec");
        });
  }

  @Test
  void withoutEitherJacksonTheApplicationStarts() {
    runner
        .withClassLoader(new FilteredClassLoader("com.fasterxml.jackson", "tools.jackson"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JsonCodec.class));
  }

  @Test
  void theLastOfTwoApplicationsInAJvmSetsTheCodecUntilItIsClosed() {
    runner
        .withConfiguration(AutoConfigurations.of(Boot.JACKSON))
        .run(
            first -> {
              JsonCodec ofFirst = JsonCodec.getDefault();
              runner
                  .withBean("ownCodec", JsonCodec.class, PlainJsonCodec::new)
                  .run(
                      second ->
                          assertThat(JsonCodec.getDefault()).isInstanceOf(PlainJsonCodec.class));
              assertThat(JsonCodec.getDefault()).isSameAs(ofFirst);
            });
  }
}
