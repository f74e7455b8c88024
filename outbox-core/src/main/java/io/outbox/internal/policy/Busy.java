package io.outbox.internal.policy;

import io.outbox.model.EventRoute;
import java.util.List;

/**
 * A listener that has no place for some events now, or no start by its rate.
 *
 * @param listener the user's
 * @param limit which limit holds them back; the name of the listener goes into it
 * @param nanos for how long some have waited
 * @param routes of events that wait; not necessarily all
 */
public record Busy(Object listener, String limit, long nanos, List<EventRoute> routes) {

  /** What goes on after "waits for", for people. */
  public String what(String name) {
    return limit.formatted(name);
  }
}
