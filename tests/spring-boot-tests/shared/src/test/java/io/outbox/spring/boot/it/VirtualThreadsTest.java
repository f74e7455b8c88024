package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class VirtualThreadsTest {

  private static final String APPLICATION = "spring.threads.virtual.enabled=";
  private static final String OUTBOX = "outbox.virtual-threads=";

  private final ApplicationContextRunner runner =
      Outboxes.runner().withUserConfiguration(Listening.class);

  @Configuration(proxyBeanMethods = false)
  static class Listening {
    @Bean
    List<Thread> threads(DefaultListenerRegistry registry) {
      List<Thread> threads = new CopyOnWriteArrayList<>();
      registry.registerDefault(
          event -> {
            threads.add(Thread.currentThread());
            return DispatchResult.done();
          });
      return threads;
    }
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (NoSuchMethodException e) {
      return false; // an older Java
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private void assertDeliversOnVirtualThreads(boolean virtual, String... properties) {
    runner
        .withPropertyValues(properties)
        .run(
            context -> {
              Outboxes.write(context, "OrderPlaced", "{}");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
              List<?> threads = context.getBean("threads", List.class);
              assertThat(threads).hasSize(1);
              Thread thread = (Thread) threads.get(0);
              assertThat(isVirtual(thread)).isEqualTo(virtual);
              assertThat(thread.getName()).startsWith("outbox-worker-");
            });
  }

  @Test
  void theyAreNotUsedUnlessAsked() {
    assertDeliversOnVirtualThreads(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"single-node", "ordered"})
  @EnabledForJreRange(min = JRE.JAVA_21)
  void anApplicationOnVirtualThreadsHasItsListenersOnThemToo(String mode) {
    assertDeliversOnVirtualThreads(
        true, APPLICATION + true, "outbox.mode=" + mode, "outbox.poller.interval-ms=50");
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, false"})
  @EnabledForJreRange(min = JRE.JAVA_21)
  void theOutboxMayBeToldOtherwise(boolean application, boolean outbox) {
    assertDeliversOnVirtualThreads(outbox, APPLICATION + application, OUTBOX + outbox);
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void onAnOlderJavaTheSettingOfTheApplicationHasNoEffect() {
    assertDeliversOnVirtualThreads(false, APPLICATION + true);
    assertDeliversOnVirtualThreads(false, APPLICATION + true, OUTBOX + false);
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void onAnOlderJavaTheOutboxCannotBeToldToUseThem() {
    runner
        .withPropertyValues(OUTBOX + true)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("outbox.virtual-threads is true, but this is Java ")
                    .hasMessageContaining("need Java 21 or later"));
  }
}
