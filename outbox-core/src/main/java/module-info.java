/** The outbox API and its engine; needs nothing but the JDK. */
@SuppressWarnings("module") // those it exports to are not there when it is compiled
module io.outbox.core {
  requires transitive java.sql;

  exports io.outbox;
  exports io.outbox.dead;
  exports io.outbox.dispatch;
  exports io.outbox.internal.json to
      io.outbox.jackson2,
      io.outbox.jackson3,
      io.outbox.jdbc;
  exports io.outbox.internal.publish to
      io.outbox.http,
      io.outbox.kafka,
      io.outbox.nats,
      io.outbox.rabbitmq,
      io.outbox.redis,
      io.outbox.sqs;
  exports io.outbox.internal.tx to
      io.outbox.inbox,
      io.outbox.jdbc;
  exports io.outbox.internal.write to
      io.outbox.r2dbc;
  exports io.outbox.model;
  exports io.outbox.operate;
  exports io.outbox.policy;
  exports io.outbox.poller;
  exports io.outbox.publish;
  exports io.outbox.purge;
  exports io.outbox.registry;
  exports io.outbox.spi;
  exports io.outbox.spi.lanes;
  exports io.outbox.subscription;
  exports io.outbox.util;

  uses io.outbox.spi.JsonCodec;
}
