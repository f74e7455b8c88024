package io.outbox.samples.r2dbc;

import io.outbox.EventEnvelope;
import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** What is done when an order was placed. */
@Component
class Mails {

  private final List<String> payloads = new CopyOnWriteArrayList<>();

  @OutboxListener("OrderPlaced")
  void send(EventEnvelope event) {
    payloads.add(event.payloadJson());
  }

  List<String> payloads() {
    return payloads;
  }
}
