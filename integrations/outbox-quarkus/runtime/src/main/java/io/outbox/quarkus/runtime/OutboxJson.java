package io.outbox.quarkus.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.outbox.jackson2.Jackson2JsonCodec;
import io.outbox.spi.JsonCodec;
import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** JSON through the application's Jackson. */
@Singleton
public class OutboxJson {

  @Produces
  @Singleton
  @DefaultBean
  JsonCodec codec(ObjectMapper mapper) {
    return new Jackson2JsonCodec(mapper);
  }
}
