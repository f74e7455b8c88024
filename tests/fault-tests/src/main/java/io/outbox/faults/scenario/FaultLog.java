package io.outbox.faults.scenario;

import io.outbox.faults.node.FaultNode;
import java.util.ArrayList;
import java.util.List;

/** The faults of a run, in their order. */
public final class FaultLog {

  private final List<Fault> faults = new ArrayList<>();

  /** Begins a fault that touches all nodes. */
  public Fault begin(String what) {
    return begin(what, null, 1);
  }

  /** Begins a fault that touches one node only. */
  public Fault begin(String what, FaultNode node) {
    return begin(what, node, 1);
  }

  public Fault begin(String what, FaultNode node, int count) {
    String name = node == null ? null : node.node();
    Fault fault = new Fault(what, name, count, System.nanoTime());
    faults.add(fault);
    return fault;
  }

  /** Begins something that all nodes must bear without delivering anything twice. */
  public Fault condition(String what) {
    Fault fault = new Fault(what, "", 1, System.nanoTime());
    faults.add(fault);
    return fault;
  }

  public List<Fault> all() {
    return List.copyOf(faults);
  }

  /** Those that are not over yet end now; the last fault is returned, or null. */
  public Fault endAll() {
    faults.stream().filter(fault -> !fault.isOver()).forEach(f -> f.end(System.nanoTime()));
    return faults.isEmpty() ? null : faults.get(faults.size() - 1);
  }
}
