package io.outbox.jdbc.internal.outcome;

import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes outcomes and finds out what became of those that could not be written. */
public final class Outcomes {

  private final LeaseWrites leases;

  public Outcomes(LeaseWrites leases) {
    this.leases = leases;
  }

  /** The results are in the order of {@code outcomes}. */
  public List<OutcomeResult> record(Connection conn, List<Outcome> outcomes) {
    OutcomeResult[] results = new OutcomeResult[outcomes.size()];
    for (Map<String, Integer> round : rounds(outcomes)) {
      recordRound(conn, outcomes, round, results);
    }
    return Arrays.asList(results);
  }

  /** Without the look at those that could not be written, which changes nothing. */
  public boolean areOneStatement(List<Outcome> outcomes) {
    return leases.isOneStatement(outcomes)
        && outcomes.stream().map(Outcome::eventId).distinct().count() == outcomes.size();
  }

  /**
   * An event may be there several times: its second outcome waits for the first. Each round maps
   * event ids to positions in the list.
   */
  private static List<Map<String, Integer>> rounds(List<Outcome> outcomes) {
    List<Map<String, Integer>> rounds = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 0; i < outcomes.size(); i++) {
      int round = seen.merge(outcomes.get(i).eventId(), 1, Integer::sum) - 1;
      if (round == rounds.size()) {
        rounds.add(new LinkedHashMap<>());
      }
      rounds.get(round).put(outcomes.get(i).eventId(), i);
    }
    return rounds;
  }

  private void recordRound(
      Connection conn,
      List<Outcome> outcomes,
      Map<String, Integer> round,
      OutcomeResult[] results) {
    Set<String> missing = leases.write(conn, round.values().stream().map(outcomes::get).toList());
    round.values().forEach(position -> results[position] = OutcomeResult.WRITTEN);
    if (missing.isEmpty()) {
      return;
    }
    for (String id : missing) {
      results[round.get(id)] = gone(outcomes.get(round.get(id)));
    }
    for (RowState row : leases.read(conn, missing)) {
      int position = round.get(row.eventId());
      results[position] = unwritten(row, outcomes.get(position));
    }
  }

  /** What became of an outcome whose row is not there. */
  private static OutcomeResult gone(Outcome outcome) {
    return outcome.deletesRow() ? OutcomeResult.ALREADY_THERE : OutcomeResult.LOST;
  }

  private static OutcomeResult unwritten(RowState row, Outcome outcome) {
    if (row.isResultOf(outcome)) {
      return OutcomeResult.ALREADY_THERE;
    }
    return row.isOpenTo(outcome.ref()) ? OutcomeResult.LOCKED : OutcomeResult.LOST;
  }
}
