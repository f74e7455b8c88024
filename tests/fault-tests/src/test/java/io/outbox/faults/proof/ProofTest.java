package io.outbox.faults.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.faults.node.Mode;
import io.outbox.faults.scenario.Fault;
import io.outbox.it.JournaledNode;
import io.outbox.it.KeyJournal;
import io.outbox.it.KeyOrder;
import io.outbox.model.EventStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** R1, R2, R3: the proof finds what it is there to find, in journals made up for it. */
class ProofTest {

  private static final String KEY = "key";

  @TempDir Path directory;

  private MadeUpNode node;
  private final List<Proof.Row> rows = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    node = new MadeUpNode(directory.resolve("node.journal"));
  }

  @AfterEach
  void close() throws IOException {
    node.journal.close();
  }

  @Test
  void aRunWithoutAFaultIsGood() {
    commit("a");
    commit("b");
    call("a", true);
    call("b", true);
    assertThat(verdict(Mode.ORDERED_BY_KEY).complaints()).isEmpty();
    assertThat(verdict(Mode.ORDERED_BY_KEY).events).isEqualTo(2);
  }

  @Test
  void anEventThatNobodyDeliveredIsLost() {
    commit("a");
    assertThat(verdict(Mode.MULTI_NODE).lost).singleElement().asString().contains("not delivered");
  }

  @Test
  void anEventThatIsStillPendingIsLostThoughItWasDelivered() {
    write("a", true);
    rows.add(new Proof.Row("a", KEY, 1, EventStatus.NEW, 0));
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).lost).hasSize(1);
  }

  @Test
  void anEventThatIsCommittedAndGoneIsLost() {
    write("a", true);
    call("a", true);
    Verdict verdict = verdict(Mode.MULTI_NODE);
    assertThat(verdict.lost).singleElement().asString().contains("not in the table");
  }

  @Test
  void anEventThatWasGivenUpIsLost() {
    write("a", true);
    rows.add(new Proof.Row("a", KEY, 1, EventStatus.DEAD, 1));
    call("a", false);
    assertThat(verdict(Mode.MULTI_NODE).lost).singleElement().asString().contains("given up");
  }

  @Test
  void anEventThatWasRolledBackAndDeliveredIsAPhantom() {
    write("a", false);
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).phantoms).hasSize(1);
    assertThat(verdict(Mode.MULTI_NODE).lost).isEmpty();
  }

  @Test
  void anEventThatWasRolledBackAndIsInTheTableIsAPhantom() {
    write("a", false);
    rows.add(row("a"));
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).phantoms).hasSize(1);
  }

  @Test
  void anUnknownCommitMayHaveGoneEitherWay() {
    node.journal.written(List.of("a"), true, System.nanoTime());
    node.journal.written(List.of("b"), true, System.nanoTime());
    rows.add(row("b"));
    call("b", true);
    assertThat(verdict(Mode.MULTI_NODE).complaints()).isEmpty();
  }

  @Test
  void aLaterEventOfAKeyBeforeAnEarlierOneIsOutOfOrder() {
    commit("a");
    commit("b");
    call("b", true);
    call("a", true);
    assertThat(verdict(Mode.ORDERED_BY_KEY).disorder).isNotEmpty();
    assertThat(verdict(Mode.MULTI_NODE).complaints()).as("no order was asked for").isEmpty();
  }

  @Test
  void aSecondDeliveryNeedsAFault() {
    commit("a");
    call("a", true);
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).unexplained).hasSize(1);
  }

  @Test
  void aSecondDeliveryAfterAFaultIsCountedForIt() {
    commit("a");
    call("a", true);
    Fault fault = new Fault("kill", node.node(), 1, System.nanoTime());
    fault.end(System.nanoTime());
    faults.add(fault);
    call("a", true);
    Verdict verdict = verdict(Mode.MULTI_NODE);
    assertThat(verdict.complaints()).isEmpty();
    assertThat(verdict.duplicates).containsEntry("kill", 1);
  }

  @Test
  void aFaultOfAnotherNodeExplainsNothing() {
    commit("a");
    call("a", true);
    faults.add(new Fault("kill", "another node", 1, System.nanoTime()));
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).unexplained).hasSize(1);
  }

  @Test
  void aRetryAfterAFailureIsNoDuplicate() {
    write("a", true);
    rows.add(new Proof.Row("a", KEY, 1, EventStatus.DONE, 1));
    call("a", false);
    call("a", true);
    Verdict verdict = verdict(Mode.ORDERED_BY_KEY);
    assertThat(verdict.complaints()).isEmpty();
    assertThat(verdict.duplicateCount()).isZero();
  }

  @Test
  void anAttemptWithoutAFailureIsMiscounted() {
    write("a", true);
    rows.add(new Proof.Row("a", KEY, 1, EventStatus.DONE, 1));
    call("a", true);
    assertThat(verdict(Mode.MULTI_NODE).miscounted).hasSize(1);
  }

  private Verdict verdict(Mode mode) {
    return Proof.of(mode, rows, List.of(node), faults);
  }

  private void commit(String id) {
    write(id, true);
    rows.add(row(id));
  }

  private Proof.Row row(String id) {
    return new Proof.Row(id, KEY, rows.size() + 1, EventStatus.DONE, 0);
  }

  private void write(String id, boolean committed) {
    long number = node.journal.written(List.of(id), true, System.nanoTime());
    if (committed) {
      node.journal.committed(number);
    } else {
      node.journal.rolledBack(number);
    }
  }

  private void call(String id, boolean succeeded) {
    node.journal.returned(node.journal.called(id, 1), succeeded);
  }

  private static final class MadeUpNode implements JournaledNode {
    private final Path file;
    private final KeyJournal journal;

    MadeUpNode(Path file) throws IOException {
      this.file = Files.createFile(file);
      this.journal = new KeyJournal(file);
    }

    @Override
    public String node() {
      return "node";
    }

    @Override
    public KeyJournal.Content journal() {
      return KeyJournal.read(file);
    }

    @Override
    public long endedNanos() {
      return System.nanoTime();
    }

    @Override
    public List<KeyOrder.Pause> pauses() {
      return List.of();
    }
  }
}
