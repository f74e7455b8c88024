package io.outbox.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.outbox.jackson2.Jackson2JsonCodec;

/** JSON through the Jackson 2 of the application; without Spring take {@code outbox-jackson2}. */
public final class JacksonJsonCodec extends Jackson2JsonCodec {

  public JacksonJsonCodec(ObjectMapper objectMapper) {
    super(objectMapper);
  }
}
