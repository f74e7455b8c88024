package io.outbox.spring.boot.actuate;

import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** The endpoint of the outbox, if there is an Actuator that exposes it. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(Outbox.class)
@ConditionalOnAvailableEndpoint(OutboxEndpoint.class)
class OutboxEndpointAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  OutboxEndpoint outboxEndpoint(ConfigurableListableBeanFactory beans) {
    return new OutboxEndpoint(new TableInspector(beans));
  }
}
