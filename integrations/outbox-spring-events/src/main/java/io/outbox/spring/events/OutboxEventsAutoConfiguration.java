package io.outbox.spring.events;

import io.outbox.OutboxWriter;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;

/**
 * Writes application events to the outbox: those with a rule, {@link Outboxed} ones, and those that
 * Spring Modulith externalizes.
 */
@AutoConfiguration(
    afterName = {
      "io.outbox.spring.boot.OutboxAutoConfiguration",
      "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration"
    })
@ConditionalOnBean(OutboxWriter.class)
class OutboxEventsAutoConfiguration {

  /** The application declares no recorder. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(OutboxEventRecorder.class)
  static class Recording {

    /**
     * The writer comes late: its own beans may publish events while they are created. Modulith has
     * a bean that is named outboxEventRecorder.
     */
    @Bean
    OutboxEventRecorder outboxApplicationEventRecorder(
        ObjectProvider<OutboxWriter> writer, ObjectProvider<EventMapping> mappings) {
      return new OutboxEventRecorder(mappings.orderedStream().toList(), writer::getObject);
    }

    /** Says so at the start, not at the first event. */
    @Bean
    SmartInitializingSingleton outboxEventsWriterCheck(ObjectProvider<OutboxWriter> writer) {
      return () -> {
        try {
          writer.getObject();
        } catch (NoUniqueBeanDefinitionException e) {
          throw new IllegalStateException(
              "there are several OutboxWriter beans: declare an OutboxEventRecorder bean with the"
                  + " one that application events are written to, or make that one @Primary",
              e);
        }
      };
    }
  }

  /** Behind the application's own mappings, which are registered before auto-configurations. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(EventExternalizationConfiguration.class)
  @ConditionalOnProperty(
      name = "spring.modulith.events.externalization.enabled",
      matchIfMissing = true)
  static class Modulith {

    /** Of an application that has no more than the API of Modulith's events. */
    @Bean
    @ConditionalOnMissingBean
    EventExternalizationConfiguration eventExternalizationConfiguration(BeanFactory beans) {
      return AutoConfigurationPackages.has(beans)
          ? EventExternalizationConfiguration.defaults(AutoConfigurationPackages.get(beans)).build()
          : EventExternalizationConfiguration.externalizing()
              .select(EventExternalizationConfiguration.annotatedAsExternalized())
              .build();
    }

    @Bean
    EventMapping outboxModulithEvents(
        EventExternalizationConfiguration configuration, ConfigurableListableBeanFactory beans) {
      ModulithSenders.requireNone(beans);
      return new ModulithEvents(configuration, beans);
    }
  }
}
