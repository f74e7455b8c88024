package io.outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Conditions that a row must all meet, and their parameters. Not thread-safe. */
final class Conditions {

  private final List<String> texts = new ArrayList<>();
  private final List<Object> params = new ArrayList<>();

  Conditions add(String text, Object... values) {
    texts.add(text);
    params.addAll(Arrays.asList(values));
    return this;
  }

  Conditions addAll(Conditions others) {
    texts.addAll(others.texts);
    params.addAll(others.params);
    return this;
  }

  boolean isEmpty() {
    return texts.isEmpty();
  }

  String text() {
    return "(" + String.join(") AND (", texts) + ")";
  }

  /** With commas instead, for assignments. */
  String list() {
    return String.join(", ", texts);
  }

  List<Object> params() {
    return params;
  }
}
