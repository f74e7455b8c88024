package io.outbox.spring.boot.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.Mode;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults of the properties are written beside them; these are the builders'. */
class DefaultSettingsTest {

  @ParameterizedTest
  @EnumSource
  void propertiesThatAreNotSetLeaveTheBuilderAsItIs(Mode mode) throws Exception {
    OutboxProperties properties =
        properties(
            Map.of(
                "outbox.mode", mode.name(),
                "outbox.claim-locking.enabled", "true",
                "outbox.purge.enabled", "true"));
    RetryPolicy retries =
        new ExponentialBackoffRetryPolicy(
            properties.retry().baseDelayMs(), properties.retry().maxDelayMs());

    Outbox.AbstractBuilder<?> mapped =
        new OutboxBuilders(properties, extras(retries), Duration.ofSeconds(30), false)
            .builderOfTheMode();

    assertThat(settings(mapped))
        .usingRecursiveComparison()
        .ignoringFields("ownerId", "claimTimeout") // no default: multiNode() demands them
        .isEqualTo(settings(untouched(mode)));
  }

  private static Outbox.AbstractBuilder<?> untouched(Mode mode) {
    return switch (mode) {
      case SINGLE_NODE -> Outbox.singleNode();
      case MULTI_NODE -> Outbox.multiNode();
      case ORDERED -> Outbox.ordered();
      case ORDERED_BY_KEY -> Outbox.orderedByKey();
      case WRITER_ONLY -> Outbox.writerOnly();
    };
  }

  private static OutboxProperties properties(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("outbox", OutboxProperties.class);
  }

  private static OutboxBuilders.Extras extras(RetryPolicy retries) {
    DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    beans.registerSingleton("retries", retries);
    return new OutboxBuilders.Extras(
        beans.getBeanProvider(MetricsExporter.class),
        beans.getBeanProvider(RetryPolicy.class),
        beans.getBeanProvider(EventInterceptor.class),
        beans.getBeanProvider(EventPurger.class),
        beans.getBeanProvider(OutboxBuilderCustomizer.class));
  }

  private static Object settings(Outbox.AbstractBuilder<?> builder)
      throws ReflectiveOperationException {
    Field field = Outbox.AbstractBuilder.class.getDeclaredField("settings");
    field.setAccessible(true);
    return field.get(builder);
  }
}
