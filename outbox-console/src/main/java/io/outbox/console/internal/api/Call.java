package io.outbox.console.internal.api;

import io.outbox.console.internal.access.Visitor;
import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Parameters;
import io.outbox.console.internal.http.Request;
import io.outbox.console.internal.http.Response;
import io.outbox.operate.OutboxOperator;

/** A request about one outbox, by somebody who may send it. */
record Call(Request request, Parameters parameters, Visitor visitor, ConsoleOutbox outbox) {

  /** Answers a call. */
  @FunctionalInterface
  interface Endpoint {
    Response answer(Call call);
  }

  /** Acts in the name of the visitor. */
  OutboxOperator operator() {
    return outbox.operator().as(visitor.user().name());
  }

  /** Refuses parameters of other names: one that is overlooked would make it mean more. */
  Call only(String... names) {
    parameters.requireOnly(names);
    return this;
  }

  JsonBody body() {
    return JsonBody.read(request);
  }
}
