package io.outbox.samples.starter;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Nothing here is about the outbox: the starter finds the DataSource and the listeners. */
@SpringBootApplication
public class StarterDemoApplication {

  public static void main(String[] args) {
    SpringApplication.run(StarterDemoApplication.class, args);
  }
}
