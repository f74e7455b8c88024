package io.outbox.relay;

import java.util.List;

/** All problems of a configuration, each with its line. No message has a secret. */
public final class RelayConfigException extends Exception {

  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  RelayConfigException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** In the order of their lines. */
  public List<String> problems() {
    return problems;
  }
}
