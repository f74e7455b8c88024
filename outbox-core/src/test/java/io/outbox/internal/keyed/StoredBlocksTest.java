package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventKey;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.lanes.KeyBlock;
import io.outbox.spi.lanes.LaneStore;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoredBlocksTest {

  private static final EventKey KEY = EventKey.named("key");
  private static final Set<Integer> LANES = Set.of(KEY.lane());

  private final List<KeyBlock> table = new ArrayList<>();
  private int asked;

  private final LaneStore store =
      (LaneStore)
          Proxy.newProxyInstance(
              LaneStore.class.getClassLoader(),
              new Class<?>[] {LaneStore.class},
              (proxy, method, args) -> {
                asked++;
                return List.copyOf(table);
              });

  private StoredBlocks blocks(boolean blockAfterDead) {
    FakeDatabase database = new FakeDatabase();
    StoreSession session = new StoreSession(database, new FakeStore(database));
    return new StoredBlocks(session, store, MetricsExporter.NOOP, blockAfterDead);
  }

  @Test
  void nobodyAsksForBlocksWhereThereAreNone() {
    StoredBlocks blocks = blocks(false);
    blocks.look(LANES);
    assertThat(blocks.of(Set.of(KEY))).isEmpty();
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void whereThereIsOneItIsFound() {
    StoredBlocks blocks = blocks(false);
    table.add(new KeyBlock(KEY, "dead", Instant.EPOCH, null));
    blocks.look(LANES);
    assertThat(blocks.of(Set.of(KEY))).isEqualTo(Map.of(KEY, "dead"));
  }

  @Test
  void oneThatComesAfterTheLookIsFoundIfDeadEventsBlock() {
    StoredBlocks blocks = blocks(true);
    blocks.look(LANES);
    table.add(new KeyBlock(KEY, "dead", Instant.EPOCH, null));
    assertThat(blocks.of(Set.of(KEY))).isEqualTo(Map.of(KEY, "dead"));
  }
}
