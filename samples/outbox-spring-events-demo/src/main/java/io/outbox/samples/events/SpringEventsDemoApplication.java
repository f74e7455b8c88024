package io.outbox.samples.events;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Orders, their application events, and an outbox that delivers them. */
@SpringBootApplication
class SpringEventsDemoApplication {

  public static void main(String[] args) {
    boolean right;
    try (ConfigurableApplicationContext context =
        SpringApplication.run(SpringEventsDemoApplication.class, args)) {
      right = context.getBean(Story.class).tell();
    }
    if (!right) {
      System.exit(1);
    }
  }
}
