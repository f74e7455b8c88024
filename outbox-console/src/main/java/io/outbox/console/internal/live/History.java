package io.outbox.console.internal.live;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import java.util.ArrayDeque;
import java.util.Deque;

/** What the charts begin with: some numbers of the last overviews. Not thread-safe. */
final class History {

  static final int MAX = 900;

  private final Deque<JsonArray> points = new ArrayDeque<>();

  void add(Overview overview) {
    if (points.size() == MAX) {
      points.removeFirst();
    }
    points.addLast(point(overview));
  }

  /** Time, rate, lag, and the numbers of pending, claimed and dead events. */
  static JsonArray point(Overview overview) {
    JsonArray point = new JsonArray();
    point.add(overview.at().toEpochMilli());
    if (overview.throughput() == null) {
      point.add(JsonNull.INSTANCE);
    } else {
      point.add(Math.round(overview.throughput().perMinute() * 10) / 10.0);
    }
    point.add(overview.lag().toMillis() / 1000.0);
    for (LifecycleState state :
        new LifecycleState[] {LifecycleState.PENDING, LifecycleState.LEASED, LifecycleState.DEAD}) {
      var count = overview.states().get(state);
      point.add(count == null ? 0 : count.value());
    }
    return point;
  }

  JsonArray toJson() {
    JsonArray all = new JsonArray();
    points.forEach(all::add);
    return all;
  }
}
