package io.outbox.cli.command;

/** How a command ended, for scripts. */
public final class ExitCode {

  public static final int OK = 0;

  /** It failed, or was not confirmed. */
  public static final int FAILED = 1;

  /** It was called wrongly. */
  public static final int USAGE = 2;

  /** No event, pause or entry matched. */
  public static final int NOTHING_MATCHED = 3;

  /** What was checked is not as it should be. */
  public static final int PROBLEMS_FOUND = 4;

  /** Ctrl-C; what Java and shells say too. */
  public static final int STOPPED = 130;

  private ExitCode() {}
}
