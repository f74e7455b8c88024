package io.outbox.it;

import java.util.List;

/** A process whose journal is to be read. */
public interface JournaledNode {

  String node();

  KeyJournal.Content journal();

  /** When it was dead, at the latest; now if it is not. */
  long endedNanos();

  List<KeyOrder.Pause> pauses();
}
