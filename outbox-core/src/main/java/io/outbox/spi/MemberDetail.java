package io.outbox.spi;

import io.outbox.internal.json.MemberDetailJson;
import io.outbox.model.EventRoute;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A node's report with its beat: why events wait there. All times are the database's.
 *
 * @param outages its circuit breakers that are not closed
 * @param missingListeners the routes of events that it has no listener for
 * @param moreOutages how many more there are than {@code outages} names
 * @param busy listeners whose policy holds events back
 */
public record MemberDetail(
    List<Outage> outages,
    List<MissingListener> missingListeners,
    int moreOutages,
    List<BusyListener> busy) {

  /** Nothing to say. */
  public static final MemberDetail NONE = new MemberDetail(List.of(), List.of());

  /** How much of a reason is kept. */
  public static final int REASON_LENGTH = 300;

  /**
   * A circuit breaker that is not closed: calls of a listener are held back.
   *
   * @param listener whose calls, for people
   * @param destination where to, if the breaker is for one destination of the listener; else null
   * @param state a later version may have others
   * @param reason what went wrong last; no more than its first {@value #REASON_LENGTH} characters
   * @param since when the outage began
   * @param nextTrial when one event is let through next; null if that is not known
   * @param routes of events that wait because of it; not necessarily all
   */
  public record Outage(
      String listener,
      String destination,
      String state,
      String reason,
      Instant since,
      Instant nextTrial,
      List<EventRoute> routes) {

    /** No event is let through. */
    public static final String OPEN = "OPEN";

    /** One event is under way as a trial. */
    public static final String HALF_OPEN = "HALF_OPEN";

    public Outage {
      Objects.requireNonNull(listener, "listener");
      Objects.requireNonNull(state, "state");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(since, "since");
      routes = List.copyOf(Objects.requireNonNull(routes, "routes"));
    }
  }

  /**
   * A route without a listener on this node.
   *
   * @param since when the node noticed it; if no node that is alive has a listener, since when
   * @param seen whether the node has met such an event; false if it says so because another has
   * @param nearMiss listeners of the node that the events may have been meant for, for people; null
   *     if none is known
   */
  public record MissingListener(EventRoute route, Instant since, boolean seen, String nearMiss) {
    public MissingListener {
      Objects.requireNonNull(route, "route");
      Objects.requireNonNull(since, "since");
    }

    /** Without a near miss. */
    public MissingListener(EventRoute route, Instant since, boolean seen) {
      this(route, since, seen, null);
    }

    /** Of events that the node has met. */
    public MissingListener(EventRoute route, Instant since) {
      this(route, since, true);
    }
  }

  /**
   * A listener whose bulkhead or rate limit holds events back on this node.
   *
   * @param waitsFor what the events wait for, for people, for example "a place of listener Mails (2
   *     at a time)"; no more than its first {@value #REASON_LENGTH} characters
   * @param since when events began to wait
   * @param routes of events that wait; not necessarily all
   */
  public record BusyListener(String waitsFor, Instant since, List<EventRoute> routes) {
    public BusyListener {
      Objects.requireNonNull(waitsFor, "waitsFor");
      Objects.requireNonNull(since, "since");
      routes = List.copyOf(Objects.requireNonNull(routes, "routes"));
    }
  }

  /** With all of its outages, and no busy listeners. */
  public MemberDetail(List<Outage> outages, List<MissingListener> missingListeners) {
    this(outages, missingListeners, 0, List.of());
  }

  public MemberDetail {
    outages = List.copyOf(Objects.requireNonNull(outages, "outages"));
    missingListeners = List.copyOf(Objects.requireNonNull(missingListeners, "missingListeners"));
    busy = List.copyOf(Objects.requireNonNull(busy, "busy"));
  }

  /**
   * Reads {@link Member#detail}. Leaves out unknown parts: a later version may have written them.
   *
   * @param text null for a node that says nothing
   */
  public static MemberDetail read(String text) {
    return MemberDetailJson.read(text);
  }

  /**
   * As a text for {@link Member#detail}, bounded: entries that do not fit are left out, outages
   * first, which are counted then. Other nodes act on missing listeners.
   *
   * @return null if there is nothing to say
   */
  public String write() {
    return MemberDetailJson.write(this);
  }
}
