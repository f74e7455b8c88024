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

  /** That a column has this value, which may be null. */
  public Conditions same(String column, String value) {
    return value == null ? add(column + " IS NULL") : add(column + " = ?", value);
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
