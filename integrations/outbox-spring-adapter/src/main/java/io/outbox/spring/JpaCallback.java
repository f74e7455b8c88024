package io.outbox.spring;

import java.lang.StackWalker.StackFrame;
import java.util.List;

/**
 * Whether a JPA provider is calling the application, from an entity listener for example. It is in
 * the middle of a flush or a cascade then, where another flush fails. JPA has no method to ask for
 * that, so that only the stack tells.
 */
final class JpaCallback {

  /** Not all of Hibernate: the methods of lazily loaded entities are called through it, too. */
  private static final List<String> CALLERS =
      List.of(
          "org.hibernate.event.",
          "org.hibernate.action.",
          "org.hibernate.jpa.event.",
          "org.eclipse.persistence.",
          "org.apache.openjpa.");

  private JpaCallback() {}

  static boolean isUnderWay() {
    return StackWalker.getInstance().walk(frames -> frames.anyMatch(JpaCallback::isProvider));
  }

  private static boolean isProvider(StackFrame frame) {
    return CALLERS.stream().anyMatch(frame.getClassName()::startsWith);
  }
}
