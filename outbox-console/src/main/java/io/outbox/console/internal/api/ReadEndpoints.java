package io.outbox.console.internal.api;

import com.google.gson.JsonObject;
import io.outbox.console.PayloadMask;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.Parameters;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.live.Job;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.Preview;
import io.outbox.operate.WaitReasons;
import java.util.List;
import java.util.Map;

/** The endpoints that change nothing. */
final class ReadEndpoints {

  private static final int PAGE = 50;
  private static final int MAX_PAGE = 200;
  private static final int NEIGHBOURS = 5;
  private static final int BLOCKS = 50;

  private final EventJson events;

  ReadEndpoints(PayloadMask mask) {
    this.events = new EventJson(mask);
  }

  void register(Map<String, Call.Endpoint> endpoints) {
    endpoints.put("GET overview", call -> Response.json(call.only().outbox().live().current()));
    endpoints.put("GET place", this::place);
    endpoints.put("GET live", call -> call.only().outbox().live().watch(call.visitor().welcome()));
    endpoints.put("GET events", this::list);
    endpoints.put("GET event", this::detail);
    endpoints.put("GET payload", call -> events.download(event(call)));
    endpoints.put("GET neighbors", this::neighbors);
    endpoints.put("GET blocked-keys", this::blockedKeys);
    endpoints.put("GET pauses", this::pauses);
    endpoints.put("GET audit", this::audit);
    endpoints.put("GET preview", this::preview);
    endpoints.put("GET jobs", this::jobs);
  }

  private Response place(Call call) {
    return Response.json(Json.object().with("place", call.only().operator().place()).build());
  }

  private Response list(Call call) {
    EventFilter filter = Filters.parse(call.parameters(), call.operator(), "after", "limit");
    EventPage page =
        call.operator()
            .search(
                filter,
                call.parameters().get("after"),
                call.parameters().number("limit", PAGE, 1, MAX_PAGE));
    WaitReasons reasons = call.operator().waitReasons(page.events());
    return Response.json(
        Json.object()
            .with("events", Json.array(page.events(), event -> EventJson.of(event, reasons)))
            .with("next", page.next())
            .with("scanned", page.scanned())
            .with("scanLimited", page.scanLimited())
            .with("filter", filter.toString())
            .build());
  }

  private static OutboxEvent event(Call call) {
    String id = call.only("id").parameters().required("id");
    return call.operator()
        .find(id)
        .orElseThrow(
            () ->
                HttpFailure.notFound(
                    "There is no event " + id + ". It may have been deleted after its delivery."));
  }

  private Response detail(Call call) {
    OutboxEvent event = event(call);
    JsonObject json =
        events.detail(event, call.operator().waitReasons(List.of(EventSummary.of(event))));
    json.addProperty("blocksKey", blocksKey(call, event));
    json.add("copyOf", SubscriptionEndpoints.originalOf(event));
    json.add("copies", SubscriptionEndpoints.copiesOf(event, call.operator()));
    return Response.json(json);
  }

  /** Whether its key waits because it is dead; a dead event that does not needs no skip. */
  private static boolean blocksKey(Call call, OutboxEvent event) {
    return event.status() == EventStatus.DEAD && call.operator().blocksItsKey(event);
  }

  private Response neighbors(Call call) {
    return Response.json(
        Json.object()
            .with(
                "events",
                Json.array(call.operator().neighbors(event(call), NEIGHBOURS), EventJson::of))
            .build());
  }

  private Response blockedKeys(Call call) {
    return Response.json(
        Json.object()
            .with(
                "blocks", Json.array(call.only().operator().blockedKeys(BLOCKS), OverviewJson::of))
            .build());
  }

  private Response pauses(Call call) {
    return Response.json(
        Json.object()
            .with("pauses", Json.array(call.only().operator().pauses(), OverviewJson::of))
            .build());
  }

  private Response audit(Call call) {
    Parameters asked = call.only("before", "limit").parameters();
    return Response.json(
        Json.object()
            .with(
                "entries",
                Json.array(
                    call.operator()
                        .audit(asked.counted("before"), asked.number("limit", PAGE, 1, MAX_PAGE)),
                    OverviewJson::of))
            .build());
  }

  private Response preview(Call call) {
    OperatorAction action =
        Actions.parseForDryRun(call.parameters().required("action"), call.parameters().get("at"));
    OutboxOperator operator = call.operator();
    EventFilter filter = Filters.parse(call.parameters(), operator, "action", "at");
    Preview preview = operator.preview(action, filter);
    return Response.json(
        Json.object()
            .with("count", OverviewJson.of(preview.count()))
            .with("sample", Json.array(preview.sample(), EventJson::of))
            .with("filter", filter.toString())
            .build());
  }

  private Response jobs(Call call) {
    return Response.json(jobsOf(call.only().outbox()));
  }

  static JsonObject jobsOf(ConsoleOutbox outbox) {
    return Json.object().with("jobs", Json.array(outbox.jobs().all(), Job::toJson)).build();
  }
}
