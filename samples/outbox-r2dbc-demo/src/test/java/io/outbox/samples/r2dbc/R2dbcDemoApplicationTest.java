package io.outbox.samples.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class R2dbcDemoApplicationTest {

  @Test
  void theStoryEndsAsItShould() {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(R2dbcDemoApplication.class)) {
      assertThat(context.getBean(Story.class).tell()).isTrue();
    }
  }
}
