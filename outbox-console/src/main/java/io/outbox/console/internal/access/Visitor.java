package io.outbox.console.internal.access;

import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
import java.util.function.BooleanSupplier;

/**
 * Who sends a request.
 *
 * @param welcome whether they still are, for answers that last
 */
public record Visitor(ConsoleUser user, BooleanSupplier welcome) {

  static Visitor always(ConsoleUser user) {
    return new Visitor(user, () -> true);
  }

  public boolean mayAct() {
    return user.role() == ConsoleRole.OPERATOR;
  }
}
