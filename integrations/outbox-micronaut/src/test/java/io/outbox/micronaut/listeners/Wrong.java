package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Requires;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;
import java.util.List;

/** Listeners that cannot be. */
public final class Wrong {

  private Wrong() {}

  /** Its payload cannot be read. */
  @Singleton
  @Requires(property = "spec", value = "wrong-parameter")
  public static class Parameter {

    @OutboxListener("Wrong")
    public void list(List<String> payload) {}
  }

  /** There are two. */
  @Singleton
  @Requires(property = "spec", value = "wrong-second")
  public static class Second {

    @OutboxListener("Wrong")
    public void one(String payload) {}

    @OutboxListener("Wrong")
    public void two(String payload) {}
  }

  /** It is no listener. */
  @Singleton
  @Requires(property = "spec", value = "wrong-class")
  @OutboxListener("Wrong")
  public static class NoListener {

    public void anything() {}
  }
}
