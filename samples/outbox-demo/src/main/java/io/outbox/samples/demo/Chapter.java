package io.outbox.samples.demo;

import io.outbox.registry.DefaultListenerRegistry;

/** One part of the story, with the listener it is about. */
interface Chapter {

  String title();

  /** Called before the outbox starts: an event without a listener would be DEAD at once. */
  void register(DefaultListenerRegistry listeners);

  void tell(Stage stage, Narrator narrator) throws Exception;
}
