package io.outbox.faults;

import java.util.ArrayList;
import java.util.List;

/** The faults of a run, in their order. */
final class FaultLog {

  private final List<Fault> faults = new ArrayList<>();

  /** Begins a fault that touches all nodes. */
  Fault begin(String what) {
    return begin(what, null, 1);
  }

  /** Begins a fault that touches one node only. */
  Fault begin(String what, FaultNode node) {
    return begin(what, node, 1);
  }

  Fault begin(String what, FaultNode node, int count) {
    String name = node == null ? null : node.node();
    Fault fault = new Fault(what, name, count, System.nanoTime());
    faults.add(fault);
    return fault;
  }

  /** Begins something that all nodes must bear without delivering anything twice. */
  Fault condition(String what) {
    Fault fault = new Fault(what, "", 1, System.nanoTime());
    faults.add(fault);
    return fault;
  }

  List<Fault> all() {
    return List.copyOf(faults);
  }

  /** Those that are not over yet end now; the last fault is returned, or null. */
  Fault endAll() {
    faults.stream().filter(fault -> !fault.isOver()).forEach(f -> f.end(System.nanoTime()));
    return faults.isEmpty() ? null : faults.get(faults.size() - 1);
  }
}
