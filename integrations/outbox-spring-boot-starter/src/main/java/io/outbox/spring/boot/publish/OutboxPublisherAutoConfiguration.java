package io.outbox.spring.boot.publish;

import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Registers the publishers that were set up by properties. */
@AutoConfiguration
@ConditionalOnClass(Outbox.class)
@ConditionalOnBean(PublisherRegistration.class)
public class OutboxPublisherAutoConfiguration {

  OutboxPublisherAutoConfiguration() {}

  @Bean
  @Lazy(false)
  PublisherRegistrar outboxPublisherRegistrar(
      ObjectProvider<PublisherRegistration> registrations,
      ObjectProvider<DefaultListenerRegistry> registry,
      ObjectProvider<PublisherDecorator> decorator) {
    return new PublisherRegistrar(
        registrations.orderedStream().toList(), registry.getIfUnique(), decorator.getIfAvailable());
  }
}
