package io.outbox.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.outbox.jackson3.Jackson3JsonCodec;
import io.outbox.spi.JsonCodec;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON through the application's own Jackson, 3 before 2. Without either, the class path decides.
 */
@AutoConfiguration(
    before = OutboxAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
      "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration"
    })
@ConditionalOnMissingBean(JsonCodec.class)
@Import({OutboxJsonAutoConfiguration.Jackson3.class, OutboxJsonAutoConfiguration.Jackson2.class})
class OutboxJsonAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JsonMapper.class)
  @ConditionalOnSingleCandidate(JsonMapper.class)
  static class Jackson3 {

    @Bean
    JsonCodec outboxJsonCodec(JsonMapper mapper) {
      return new Jackson3JsonCodec(mapper);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ObjectMapper.class)
  @ConditionalOnSingleCandidate(ObjectMapper.class)
  @ConditionalOnMissingBean(JsonCodec.class)
  static class Jackson2 {

    @Bean
    JsonCodec outboxJsonCodec(ObjectMapper mapper) {
      return new JacksonJsonCodec(mapper);
    }
  }
}
