package io.outbox.internal.breaker;

import io.outbox.model.EventRoute;
import io.outbox.publish.Addressed;
import java.util.Collection;
import java.util.regex.Pattern;

/** What listeners are called when people are told of them. */
public final class ListenerNames {

  private static final Pattern MADE_BY_THE_COMPILER = Pattern.compile("\\$\\$.*|(\\$\\d+)+$");

  private ListenerNames() {}

  /**
   * The name that a publisher gives itself, else that of its class; of a lambda or an anonymous
   * class that of the class it is written in, which may be many, with an event it is for.
   *
   * @param routes of its events
   */
  public static String of(Object listener, Collection<EventRoute> routes) {
    String own = ownName(listener);
    if (own != null) {
      return own;
    }
    String name = listener.getClass().getName();
    String simple = name.substring(name.lastIndexOf('.', end(name)) + 1);
    String written = MADE_BY_THE_COMPILER.matcher(simple).replaceFirst("");
    return written.equals(simple) ? simple : written + first(routes);
  }

  /** Null if it has none, or cannot tell. */
  private static String ownName(Object listener) {
    try {
      boolean named =
          listener instanceof Addressed
              && !listener.getClass().isRecord()
              && listener.getClass().getMethod("toString").getDeclaringClass() != Object.class;
      String name = named ? listener.toString() : null;
      return name == null || name.isBlank() ? null : name;
    } catch (Exception e) {
      return null;
    }
  }

  /** The same on all nodes, if it is registered for one. */
  private static String first(Collection<EventRoute> routes) {
    return routes.stream()
        .map(EventRoute::toString)
        .min(String::compareTo)
        .map(" for "::concat)
        .orElse("");
  }

  /** The names of hidden classes have a slash, and what is behind it means nothing to anybody. */
  private static int end(String name) {
    int slash = name.indexOf('/');
    return slash < 0 ? name.length() : slash;
  }

  /** What went wrong, in few words. */
  static String reason(Throwable failure) {
    String message = failure.getMessage();
    String text = message == null || message.isBlank() ? className(failure) : message;
    Throwable cause = failure.getCause();
    if (cause == null || cause == failure || cause.getMessage() == null) {
      return text;
    }
    return text.contains(cause.getMessage()) ? text : text + ": " + cause.getMessage();
  }

  private static String className(Throwable failure) {
    String name = failure.getClass().getName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
