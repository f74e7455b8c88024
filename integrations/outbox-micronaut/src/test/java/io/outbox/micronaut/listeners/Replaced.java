package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.context.annotation.Requires;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;

/** A bean with listeners that another one replaces, and one that is switched off. */
@Singleton
@Requires(property = "spec", value = "kinds")
public class Replaced {

  final Heard heard;

  public Replaced(Heard heard) {
    this.heard = heard;
    if (getClass() == Replaced.class) {
      heard.add("Replaced", "it was made");
    }
  }

  @OutboxListener("Replaced")
  public void on(String json) {
    heard.add("Replaced", "by the one that is replaced");
  }

  /** Takes its place. */
  @Singleton
  @Replaces(Replaced.class)
  @Requires(property = "spec", value = "kinds")
  public static class Replacement extends Replaced {

    public Replacement(Heard heard) {
      super(heard);
    }

    @Override
    @OutboxListener("Replaced")
    public void on(String json) {
      heard.add("Replaced", json);
    }
  }

  /** Off. */
  @Singleton
  @Requires(property = "nobody.sets.this")
  public static class Disabled {

    @OutboxListener("Replaced")
    public void on(String json) {}
  }
}
