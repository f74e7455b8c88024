package io.outbox.samples.multids;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** Remembers what was delivered, and by which outbox. */
@Component
class Deliveries {

  private final List<String> all = new CopyOnWriteArrayList<>();

  EventListener of(String database) {
    return event -> {
      all.add(database + ": " + event.eventType() + " " + event.payloadJson());
      return DispatchResult.done();
    };
  }

  List<String> all() {
    return all;
  }
}
