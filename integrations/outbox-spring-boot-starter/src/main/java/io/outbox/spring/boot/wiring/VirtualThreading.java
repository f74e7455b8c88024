package io.outbox.spring.boot.wiring;

import org.springframework.core.env.Environment;

/** Whether listeners run on virtual threads: as the outbox is told, else as the application is. */
public final class VirtualThreading {

  /** Spring Boot, too, takes no notice of it on a Java that has no virtual threads. */
  private static final String OF_THE_APPLICATION = "spring.threads.virtual.enabled";

  private static final int SINCE = 21;

  private VirtualThreading() {}

  public static boolean isWanted(Boolean ofTheOutbox, Environment environment) {
    int java = Runtime.version().feature();
    if (ofTheOutbox == null) {
      return java >= SINCE && environment.getProperty(OF_THE_APPLICATION, Boolean.class, false);
    }
    if (ofTheOutbox && java < SINCE) {
      throw new OutboxConfigurationException(
          "The property outbox.virtual-threads is true, but this is Java "
              + java
              + ": virtual threads need Java "
              + SINCE
              + " or later.",
          "Run the application on Java "
              + SINCE
              + " or later, or remove outbox.virtual-threads and set a higher"
              + " outbox.dispatcher.worker-count.");
    }
    return ofTheOutbox;
  }
}
