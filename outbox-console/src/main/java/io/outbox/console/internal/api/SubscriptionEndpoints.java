package io.outbox.console.internal.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outbox.console.internal.http.Response;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.OutboxOperator;
import io.outbox.subscription.EventCopy;
import io.outbox.subscription.Subscription;
import io.outbox.subscription.SubscriptionState;
import io.outbox.subscription.Subscriptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is known of subscriptions, and of the copies of an event for them. */
final class SubscriptionEndpoints {

  void register(Map<String, Call.Endpoint> endpoints) {
    endpoints.put("GET subscriptions", SubscriptionEndpoints::list);
  }

  private static Response list(Call call) {
    OutboxOperator operator = call.only().operator();
    List<DeliveryPause> pauses = operator.pauses();
    List<SubscriptionState> states =
        operator.subscriptions().map(Subscriptions::states).orElse(List.of());
    return Response.json(
        Json.object()
            .with("subscriptions", Json.array(states, state -> json(state, pauses)))
            .build());
  }

  private static JsonObject json(SubscriptionState state, List<DeliveryPause> pauses) {
    Subscription subscription = state.subscription();
    JsonArray halting =
        Json.array(
            pauses.stream()
                .filter(
                    pause ->
                        pause.matches(subscription.copyType(), subscription.route().eventType()))
                .toList(),
            OverviewJson::of);
    return Json.object()
        .with("name", subscription.name())
        .with("route", subscription.route().toString())
        .with("copies", subscription.copyType())
        .with("type", subscription.route().eventType())
        .with("since", subscription.since())
        .with("until", subscription.until())
        .with("waiting", OverviewJson.of(state.waiting()))
        .with("retrying", OverviewJson.of(state.retrying()))
        .with("dead", OverviewJson.of(state.dead()))
        .with("oldestWaiting", state.oldestWaiting())
        .with("lagMillis", state.lag().toMillis())
        .with("pauses", halting)
        .build();
  }

  /** The copies of an event, for its page. */
  static JsonArray copiesOf(OutboxEvent event, OutboxOperator operator) {
    List<EventCopy> copies =
        operator.subscriptions().map(all -> all.copiesOf(event)).orElse(List.of());
    return Json.array(
        copies,
        copy ->
            Json.object()
                .with("subscription", copy.subscription().name())
                .with("ended", copy.subscription().until())
                .with("id", copy.eventId())
                .with("event", copy.row() == null ? JsonNull.INSTANCE : EventJson.of(copy.row()))
                .build());
  }

  /** The event that a copy was made of, and for whom; null if it is no copy. */
  static JsonElement originalOf(OutboxEvent event) {
    Optional<String> id = Subscription.originalIdOf(event);
    if (id.isEmpty()) {
      return JsonNull.INSTANCE;
    }
    String type = event.aggregateType();
    return Json.object()
        .with("id", id.get())
        .with("subscription", type.substring(type.lastIndexOf("@@") + 2))
        .build();
  }
}
