package io.outbox.relay.yaml;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** All problems of a file, to be fixed at once. Not thread-safe. */
public final class Problems {

  private record Problem(Position at, String message) {}

  private final String file;
  private final Secrets secrets;
  private final List<Problem> found = new ArrayList<>();

  public Problems(String file, Secrets secrets) {
    this.file = Objects.requireNonNull(file, "file");
    this.secrets = Objects.requireNonNull(secrets, "secrets");
  }

  public void add(Position at, String message) {
    found.add(new Problem(at, message));
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** Each as {@code file:line: path: message}, by line, without secrets. */
  public List<String> lines() {
    return found.stream()
        .sorted(Comparator.comparingInt(problem -> problem.at().line()))
        .map(problem -> describe(problem.at(), problem.message()))
        .distinct()
        .toList();
  }

  /** As {@code file:line: path: message}, without secrets. */
  public String describe(Position at, String message) {
    String path = at.path().isEmpty() ? "" : at.path() + ": ";
    return file + ":" + at.line() + ": " + path + secrets.redact(message);
  }
}
