package io.outbox.samples.spring;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** What happens elsewhere when an order was placed. */
@Component
class Shipping {

  private final List<String> parcels = new CopyOnWriteArrayList<>();
  private volatile boolean shipsToTheMoon;

  /** An event may come again after a crash: its id tells. */
  void prepare(EventEnvelope event) {
    if (event.payloadJson().contains("\"Moon\"") && !shipsToTheMoon) {
      throw new UnrecoverableException("nobody ships to the moon");
    }
    if (!parcels.contains(event.eventId())) {
      parcels.add(event.eventId());
    }
  }

  void shipToTheMoonToo() {
    shipsToTheMoon = true;
  }

  List<String> parcels() {
    return parcels;
  }
}
