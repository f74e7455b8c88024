package io.outbox.cli.subscription;

import io.outbox.AggregateType;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.model.EventRoute;
import io.outbox.subscription.Subscriptions;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which subscription. */
final class ChosenSubscription {

  @Parameters(paramLabel = "NAME", description = "The name of the subscription.")
  private String name;

  @Option(
      names = "--type",
      paramLabel = "NAME",
      required = true,
      description = "The type of its events.")
  private String eventType;

  @Option(
      names = "--aggregate-type",
      paramLabel = "NAME",
      description = "The aggregate type of its events. Default: events without one.")
  private String aggregateType;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "The name for the audit. Default: the user of this machine.")
  private String actor;

  String name() {
    return name;
  }

  EventRoute route() {
    return new EventRoute(
        aggregateType == null ? AggregateType.GLOBAL.name() : aggregateType, eventType);
  }

  Subscriptions in(OutboxSession session) {
    Subscriptions all = subscriptions(session);
    return actor == null ? all : all.as(actor);
  }

  static Subscriptions subscriptions(OutboxSession session) {
    return Subscriptions.of(
        new DataSourceConnectionProvider(session.dataSource()), session.store());
  }
}
