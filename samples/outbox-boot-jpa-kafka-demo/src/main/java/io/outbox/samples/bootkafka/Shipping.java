package io.outbox.samples.bootkafka;

import io.outbox.inbox.Inbox;
import io.outbox.inbox.KafkaEventId;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Ships each order once, however often Kafka delivers its event. */
@Component
class Shipping {

  private final Inbox inbox;
  private final ShipmentRepository shipments;
  private final AtomicInteger duplicates = new AtomicInteger();

  Shipping(Inbox inbox, ShipmentRepository shipments) {
    this.inbox = inbox;
    this.shipments = shipments;
  }

  // snippet: boot-kafka-consumer
  @KafkaListener(topics = "shop.Order", groupId = "shipping")
  @Transactional
  void orderPlaced(ConsumerRecord<String, String> message) {
    boolean isNew =
        inbox.processOnce(
            KafkaEventId.of(message),
            "shipping",
            conn -> shipments.save(new Shipment(message.key())));
    if (!isNew) {
      duplicates.incrementAndGet(); // Kafka delivered it again, and nothing was done
    }
  } // the shipment and the event's id are committed together

  // end

  int duplicates() {
    return duplicates.get();
  }
}
