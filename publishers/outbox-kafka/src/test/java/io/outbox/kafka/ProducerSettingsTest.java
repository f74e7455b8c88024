package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {

  private final ProducerSettings settings = new ProducerSettings();

  @BeforeEach
  void nameServers() {
    settings.bootstrapServers("somewhere:9092");
  }

  @Test
  void withoutAnyWishAllIsAcknowledgedAndEveryWaitIsShort() {
    assertThat(settings.config())
        .containsEntry("bootstrap.servers", "somewhere:9092")
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", "true")
        .containsEntry("max.block.ms", 2_000)
        .containsEntry("delivery.timeout.ms", 10_000)
        .containsEntry("request.timeout.ms", 5_000);
    assertThat(settings.answerBound()).isEqualTo(Duration.ofSeconds(13));
  }

  @Test
  void wishesComeFirst() {
    settings.putAll(Map.of("linger.ms", "20", "acks", "-1", "max.block.ms", "100"));
    settings.deliveryTimeout(Duration.ofSeconds(4));
    assertThat(settings.config())
        .containsEntry("linger.ms", "20")
        .containsEntry("acks", "-1")
        .containsEntry("max.block.ms", "100")
        .containsEntry("delivery.timeout.ms", 4_000)
        .containsEntry("request.timeout.ms", 2_000);
  }

  @Test
  void serializersAreAlwaysThoseOfBytes() {
    settings.putAll(Map.of("key.serializer", "some.Serializer"));
    assertThat(settings.config()).doesNotContainKey("key.serializer");
  }

  @ParameterizedTest
  @CsvSource({"acks,1", "acks,0", "enable.idempotence,false", "transactional.id,mine"})
  void whatContradictsThePromiseIsRefused(String name, String value) {
    settings.putAll(Map.of(name, value));
    assertThatThrownBy(settings::config)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }

  @Test
  void aPublisherNeedsADestinationAndServersOrAProducer() {
    assertThatThrownBy(() -> KafkaPublisher.builder().bootstrapServers("x:1").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("destination");
    assertThatThrownBy(() -> KafkaPublisher.builder().destination("orders").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("bootstrapServers");
  }

  @Test
  void aProducerAndSettingsOfOneAreAContradiction() {
    try (MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer())) {
      assertThatThrownBy(
              () ->
                  KafkaPublisher.builder()
                      .destination("orders")
                      .producer(producer)
                      .bootstrapServers("x:1")
                      .build())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("bootstrap.servers");
    }
  }
}
