package io.outbox.samples.events;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class SpringEventsDemoApplicationTest {

  @Test
  void theStoryEndsAsItShould() {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(SpringEventsDemoApplication.class)) {
      assertThat(context.getBean(Story.class).tell()).isTrue();
    }
  }
}
