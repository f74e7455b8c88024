package io.outbox.spring.boot.actuate;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The endpoint of the outbox, if there is an Actuator that exposes it. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(ConnectionProvider.class)
@ConditionalOnSingleCandidate(OutboxStore.class)
@ConditionalOnAvailableEndpoint(OutboxEndpoint.class)
class OutboxEndpointAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  OutboxEndpoint outboxEndpoint(ConnectionProvider connectionProvider, OutboxStore store) {
    return new OutboxEndpoint(connectionProvider, store);
  }
}
