package io.outbox.samples.multids;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Orders in one database, stock in another; each writes its events to its own outbox. */
@SpringBootApplication
public class MultiDsDemoApplication {

  public static void main(String[] args) {
    SpringApplication.run(MultiDsDemoApplication.class, args);
  }
}
