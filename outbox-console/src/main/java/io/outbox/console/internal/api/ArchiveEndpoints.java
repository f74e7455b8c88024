package io.outbox.console.internal.api;

import com.google.gson.JsonObject;
import io.outbox.console.PayloadMask;
import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Parameters;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.live.Job;
import io.outbox.jdbc.archive.ArchiveReplay;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.ActionProgress;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import java.util.Map;

/** Looks at archived events and replays them. */
final class ArchiveEndpoints {

  private static final int PAGE = 50;
  private static final int MAX_PAGE = 200;

  /** How many events one bulk replay inserts at most. */
  static final int MAX_REPLAYED = 10_000;

  private final EventJson events;

  ArchiveEndpoints(PayloadMask mask) {
    this.events = new EventJson(mask);
  }

  void register(Map<String, Call.Endpoint> endpoints) {
    endpoints.put("GET archive", ArchiveEndpoints::search);
    endpoints.put("GET archive/event", this::detail);
    endpoints.put("GET archive/payload", call -> events.download(event(call)));
    endpoints.put("POST archive/replay", ArchiveEndpoints::replay);
    endpoints.put("POST archive/jobs", ArchiveEndpoints::begin);
  }

  private static EventArchive archive(Call call) {
    EventArchive archive = call.outbox().archive();
    if (archive == null || !archive.exists()) {
      throw HttpFailure.notFound("This outbox has no archive.");
    }
    return archive.as(call.visitor().user().name());
  }

  /** Of an outbox without an archive the page says how to get one. */
  private static Response search(Call call) {
    Parameters asked = call.parameters();
    EventFilter filter = Filters.parseArchived(asked, call.operator(), "after", "limit");
    int limit = asked.number("limit", PAGE, 1, MAX_PAGE);
    EventArchive archive = call.outbox().archive();
    if (archive == null || !archive.exists()) {
      return Response.json(Json.object().with("configured", archive != null).build());
    }
    EventPage page = archive.search(filter, asked.get("after"), limit);
    return Response.json(
        Json.object()
            .with("place", archive.place())
            .with("events", Json.array(page.events(), EventJson::of))
            .with("next", page.next())
            .with("scanned", page.scanned())
            .with("scanLimited", page.scanLimited())
            .with("filter", filter.toString())
            .with("maxReplayed", MAX_REPLAYED)
            .build());
  }

  private static OutboxEvent event(Call call) {
    String id = call.only("id").parameters().required("id");
    return archive(call)
        .find(id)
        .orElseThrow(() -> HttpFailure.notFound("There is no event " + id + " in the archive."));
  }

  private Response detail(Call call) {
    OutboxEvent event = event(call);
    JsonObject json = events.detail(event);
    json.addProperty("inTable", call.operator().find(event.eventId()).isPresent());
    json.add("copyOf", SubscriptionEndpoints.originalOf(event));
    return Response.json(json);
  }

  private static Response replay(Call call) {
    String id = call.body().only("id").required("id");
    return ChangeEndpoints.changed(archive(call).replay(id) ? 1 : 0);
  }

  private static Response begin(Call call) {
    JsonBody body = call.body().only("filter", "after", "limit", "expected");
    EventFilter filter =
        Filters.parseArchived(Parameters.parse(body.text("filter")), call.operator());
    Filters.requireSome(filter);
    long limit = body.number("limit", MAX_REPLAYED);
    if (limit < 1 || limit > MAX_REPLAYED) {
      throw HttpFailure.badRequest("'limit' must be from 1 to " + MAX_REPLAYED + ".");
    }
    String after = body.text("after");
    EventArchive archive = archive(call);
    Job.Order order =
        new Job.Order(
            "archive replay",
            "from " + archive.place(),
            new Job.Which(filter.toString(), body.text("filter"), after),
            Math.max(0, body.number("expected", 0)),
            call.visitor().user().name(),
            progress -> end(archive.replay(filter, after, limit, progress)));
    return Response.json(202, call.outbox().jobs().begin(order).toJson());
  }

  private static Job.End end(ArchiveReplay replay) {
    long scanned = replay.replayed() + replay.present();
    return new Job.End(
        new ActionProgress(replay.replayed(), scanned, replay.finished()), replay.next());
  }
}
