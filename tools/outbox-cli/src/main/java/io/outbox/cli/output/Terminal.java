package io.outbox.cli.output;

/** Where a command runs: on somebody's screen, or in a pipe. */
public interface Terminal {

  /** Whether what is printed is read on a screen. */
  boolean outIsScreen();

  /** Whether what is said beside it, such as progress, is read on a screen. */
  boolean errIsScreen();

  /** Whether there is somebody to ask. */
  boolean canAsk();

  /** How many columns the screen has. */
  int width();

  /** Asks a question and returns the answer; null if the input has ended. */
  String ask(String question);

  /** Asks whether to go on. */
  default boolean confirms(String question) {
    String answer = ask(question + " [y/N] ");
    return answer != null && answer.strip().matches("(?i)y|yes");
  }

  /** Asks for what must not be seen; null if the input has ended. */
  char[] askSecret(String question);
}
