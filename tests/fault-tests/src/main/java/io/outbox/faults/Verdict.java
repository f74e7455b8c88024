package io.outbox.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is wrong with a run. */
final class Verdict {

  /** Committed, and not delivered. */
  final List<String> lost = new ArrayList<>();

  /** Delivered or in the table, and never committed. */
  final List<String> phantoms = new ArrayList<>();

  /** A later event of a key before an earlier one was done. */
  final List<String> disorder = new ArrayList<>();

  /** Delivered again, though no fault says why. */
  final List<String> unexplained = new ArrayList<>();

  /** With more attempts than failures. */
  final List<String> miscounted = new ArrayList<>();

  /** All else, such as a node that ended by itself, or did not recover. */
  final List<String> troubles = new ArrayList<>();

  /** How many calls were made again because of each kind of fault. */
  final Map<String, Integer> duplicates = new TreeMap<>();

  int events;

  boolean isGood() {
    return complaints().isEmpty();
  }

  List<String> complaints() {
    List<String> all = new ArrayList<>(troubles);
    lost.forEach(each -> all.add("LOST " + each));
    phantoms.forEach(each -> all.add("PHANTOM " + each));
    disorder.forEach(each -> all.add("ORDER " + each));
    unexplained.forEach(each -> all.add("TWICE " + each));
    miscounted.forEach(each -> all.add("MISCOUNTED " + each));
    return all;
  }

  int duplicateCount() {
    return duplicates.values().stream().mapToInt(Integer::intValue).sum() + unexplained.size();
  }
}
