package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.relay.table.Mode;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A table without settings has the builder's, but for three that a relay has its own of. */
class DefaultSettingsTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void aTableWithoutSettingsHasThoseOfItsBuilder(Mode mode) throws Exception {
    H2OutboxStore store = new H2OutboxStore();
    RelayConfig config =
        RelayFile.load(
            directory,
            """
            databases:
              shop: {url: "jdbc:h2:mem:shop"}
            brokers:
              events: {type: kafka, bootstrap-servers: "localhost:9092"}
            tables:
              orders: {database: shop, mode: %s}
            default: {broker: events, destination: all}
            """
                .formatted(mode));

    OutboxSettings expected = settings(untouched(mode).outboxStore(store));
    expected.intervalMs(500);
    if (mode == Mode.MULTI_NODE) {
      expected.claimLocking("any", Duration.ofSeconds(30));
    }
    if (mode == Mode.ORDERED_BY_KEY) {
      expected.notifications = false;
    }
    assertThat(settings(config.tables().get(0).builder(store)))
        .usingRecursiveComparison()
        .ignoringFields("ownerId")
        .isEqualTo(expected);
  }

  private static Outbox.AbstractBuilder<?> untouched(Mode mode) {
    return switch (mode) {
      case SINGLE_NODE -> Outbox.singleNode();
      case MULTI_NODE -> Outbox.multiNode();
      case ORDERED -> Outbox.ordered();
      case ORDERED_BY_KEY -> Outbox.orderedByKey();
    };
  }

  private static OutboxSettings settings(Outbox.AbstractBuilder<?> builder)
      throws ReflectiveOperationException {
    Field field = Outbox.AbstractBuilder.class.getDeclaredField("settings");
    field.setAccessible(true);
    return (OutboxSettings) field.get(builder);
  }
}
