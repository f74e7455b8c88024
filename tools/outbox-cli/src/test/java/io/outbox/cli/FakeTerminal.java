package io.outbox.cli;

import io.outbox.cli.output.Terminal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A pipe, or a screen with somebody before it who answers what the test says. */
final class FakeTerminal implements Terminal {

  private final boolean screen;
  private final int width;
  private final Deque<String> answers;
  final List<String> questions = new ArrayList<>();

  private FakeTerminal(boolean screen, int width, List<String> answers) {
    this.screen = screen;
    this.width = width;
    this.answers = new ArrayDeque<>(answers);
  }

  static FakeTerminal pipe() {
    return new FakeTerminal(false, 80, List.of());
  }

  static FakeTerminal screen(int width, String... answers) {
    return new FakeTerminal(true, width, List.of(answers));
  }

  @Override
  public boolean outIsScreen() {
    return screen;
  }

  @Override
  public boolean errIsScreen() {
    return screen;
  }

  @Override
  public boolean canAsk() {
    return screen;
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public String ask(String question) {
    questions.add(question);
    return answers.poll();
  }

  @Override
  public char[] askSecret(String question) {
    String answer = ask(question);
    return answer == null ? null : answer.toCharArray();
  }
}
