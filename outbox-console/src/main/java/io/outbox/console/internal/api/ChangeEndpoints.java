package io.outbox.console.internal.api;

import io.outbox.console.internal.http.HttpFailure;
import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Parameters;
import io.outbox.console.internal.http.Response;
import io.outbox.console.internal.live.Job;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import java.util.List;
import java.util.Map;

/** The endpoints that change something; only operators get here. */
final class ChangeEndpoints {

  void register(Map<String, Call.Endpoint> endpoints) {
    endpoints.put("POST actions", this::actOnSome);
    endpoints.put("POST skip", this::skip);
    endpoints.put("POST jobs", this::begin);
    endpoints.put("POST jobs/stop", this::stop);
    endpoints.put("POST pauses", this::pause);
    endpoints.put("POST pauses/resume", this::resume);
  }

  private static OperatorAction action(JsonBody body) {
    return Actions.parse(body.required("action"), body.text("reason"), body.text("at"));
  }

  private Response actOnSome(Call call) {
    JsonBody body = call.body().only("action", "ids", "reason", "at");
    List<String> ids = body.texts("ids");
    if (ids.isEmpty()) {
      throw HttpFailure.badRequest("'ids' must name the events to act on.");
    }
    return changed(call.operator().perform(action(body), ids));
  }

  private Response skip(Call call) {
    JsonBody body = call.body().only("id", "reason");
    boolean skipped =
        call.operator().skip(body.required("id"), Actions.reason(body.text("reason")));
    return changed(skipped ? 1 : 0);
  }

  private Response begin(Call call) {
    JsonBody body = call.body().only("action", "filter", "reason", "at", "limit", "expected");
    OperatorAction action = action(body);
    OutboxOperator operator = call.operator();
    EventFilter filter = Filters.parse(Parameters.parse(body.text("filter")), operator);
    Filters.requireSome(filter);
    long limit = body.number("limit", Long.MAX_VALUE);
    if (limit < 1) {
      throw HttpFailure.badRequest("'limit' must be at least 1.");
    }
    Job job =
        call.outbox()
            .jobs()
            .begin(
                new Job.Order(
                    action.name(),
                    action.detail(),
                    new Job.Which(filter.toString(), body.text("filter"), null),
                    Math.max(0, body.number("expected", 0)),
                    call.visitor().user().name(),
                    progress ->
                        new Job.End(operator.perform(action, filter, limit, progress), null)));
    return Response.json(202, job.toJson());
  }

  private Response stop(Call call) {
    long id = call.body().only("id").number("id", 0);
    Job job =
        call.outbox()
            .jobs()
            .find(id)
            .orElseThrow(() -> HttpFailure.notFound("There is no job " + id + "."));
    call.outbox().jobs().stop(job);
    return Response.json(job.toJson());
  }

  private Response pause(Call call) {
    JsonBody body =
        call.body().only("aggregateType", "eventType", "tenant", "destination", "reason");
    Paused paused = Paused.of(body);
    return changed(paused.begin(call.operator(), body.text("reason")) ? 1 : 0);
  }

  private Response resume(Call call) {
    JsonBody body = call.body().only("aggregateType", "eventType", "tenant", "destination");
    return changed(Paused.of(body).end(call.operator()) ? 1 : 0);
  }

  /** What a pause is about: types, a tenant or a destination. */
  private record Paused(String aggregateType, String eventType, String tenant, String destination) {

    static Paused of(JsonBody body) {
      Paused paused =
          new Paused(
              body.text("aggregateType"),
              body.text("eventType"),
              body.text("tenant"),
              body.text("destination"));
      boolean typed = paused.aggregateType != null || paused.eventType != null;
      if (paused.tenant != null && (typed || paused.destination != null)
          || paused.destination != null && typed) {
        throw HttpFailure.badRequest(
            "A pause is about types, about a tenant or about a destination.");
      }
      return paused;
    }

    boolean begin(OutboxOperator operator, String reason) {
      if (tenant != null) {
        return operator.pauseTenant(tenant, reason);
      }
      return destination == null
          ? operator.pause(aggregateType, eventType, reason)
          : operator.pauseDestination(destination, reason);
    }

    boolean end(OutboxOperator operator) {
      if (tenant != null) {
        return operator.resumeTenant(tenant);
      }
      return destination == null
          ? operator.resume(aggregateType, eventType)
          : operator.resumeDestination(destination);
    }
  }

  static Response changed(int count) {
    return Response.json(Json.object().with("changed", count).build());
  }
}
