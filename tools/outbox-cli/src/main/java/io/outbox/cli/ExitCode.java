package io.outbox.cli;

/** How a command ended, for scripts. */
final class ExitCode {

  static final int OK = 0;

  /** It failed, or was not confirmed. */
  static final int FAILED = 1;

  /** It was called wrongly. */
  static final int USAGE = 2;

  /** No event, pause or entry matched. */
  static final int NOTHING_MATCHED = 3;

  /** What was checked is not as it should be. */
  static final int PROBLEMS_FOUND = 4;

  /** Ctrl-C; what Java and shells say too. */
  static final int STOPPED = 130;

  private ExitCode() {}
}
