package io.outbox;

/** Names the kind of thing an event is about. Usually an enum; see {@link StringAggregateType}. */
public interface AggregateType {

  /** The aggregate type of an event without one. */
  AggregateType GLOBAL = StringAggregateType.of("__GLOBAL__");

  /** The name stored with the event and used to find its listener. */
  String name();
}
