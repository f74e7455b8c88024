package io.outbox.jdbc.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Conditions that a row must all meet, and their parameters. Not thread-safe. */
public final class Conditions {

  private final List<String> texts = new ArrayList<>();
  private final List<Object> params = new ArrayList<>();

  public Conditions add(String text, Object... values) {
    texts.add(text);
    params.addAll(Arrays.asList(values));
    return this;
  }

  public Conditions addAll(Conditions others) {
    texts.addAll(others.texts);
    params.addAll(others.params);
    return this;
  }

  public boolean isEmpty() {
    return texts.isEmpty();
  }

  public String text() {
    return "(" + String.join(") AND (", texts) + ")";
  }

  /** With commas instead, for assignments. */
  public String list() {
    return String.join(", ", texts);
  }

  public List<Object> params() {
    return params;
  }
}
