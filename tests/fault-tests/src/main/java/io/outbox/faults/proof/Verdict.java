package io.outbox.faults.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is wrong with a run. */
public final class Verdict {

  /** Committed, and not delivered. */
  public final List<String> lost = new ArrayList<>();

  /** Delivered or in the table, and never committed. */
  public final List<String> phantoms = new ArrayList<>();

  /** A later event of a key before an earlier one was done. */
  public final List<String> disorder = new ArrayList<>();

  /** Delivered again, though no fault says why. */
  public final List<String> unexplained = new ArrayList<>();

  /** With more attempts than failures. */
  public final List<String> miscounted = new ArrayList<>();

  /** All else, such as a node that ended by itself, or did not recover. */
  public final List<String> troubles = new ArrayList<>();

  /** How many calls were made again because of each kind of fault. */
  public final Map<String, Integer> duplicates = new TreeMap<>();

  public int events;

  public boolean isGood() {
    return complaints().isEmpty();
  }

  public List<String> complaints() {
    List<String> all = new ArrayList<>(troubles);
    lost.forEach(each -> all.add("LOST " + each));
    phantoms.forEach(each -> all.add("PHANTOM " + each));
    disorder.forEach(each -> all.add("ORDER " + each));
    unexplained.forEach(each -> all.add("TWICE " + each));
    miscounted.forEach(each -> all.add("MISCOUNTED " + each));
    return all;
  }

  public int duplicateCount() {
    return duplicates.values().stream().mapToInt(Integer::intValue).sum() + unexplained.size();
  }
}
