package io.outbox;

/**
 * Names a kind of event. Usually an enum; see {@link StringEventType} for names known at run time.
 */
public interface EventType {

  /** The name stored with the event and used to find its listener. */
  String name();
}
