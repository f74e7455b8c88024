package io.outbox.quarkus.deployment;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.annotation.OutboxListener;
import io.smallrye.mutiny.Uni;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jboss.jandex.DotName;

/** Names of classes in the index. */
final class Names {

  static final DotName OUTBOX_LISTENER = DotName.createSimple(OutboxListener.class);
  static final DotName BOUND_EVENT_LISTENER = DotName.createSimple(BoundEventListener.class);
  static final DotName EVENT_TYPE = DotName.createSimple(EventType.class);
  static final DotName AGGREGATE_TYPE = DotName.createSimple(AggregateType.class);
  static final DotName ENVELOPE = DotName.createSimple(EventEnvelope.class);
  static final DotName RESULT = DotName.createSimple(DispatchResult.class);
  static final DotName STAGE = DotName.createSimple(CompletionStage.class);
  static final DotName FUTURE = DotName.createSimple(CompletableFuture.class);
  static final DotName UNI = DotName.createSimple(Uni.class);
  static final DotName MAP = DotName.createSimple(Map.class);

  private Names() {}
}
