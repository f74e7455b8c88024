package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bulk actions: how far they are, how they are stopped, and how many there may be. */
class JobsTest {

  private static final String JOBS = "/api/outboxes/orders/jobs";
  private static final String REPLAY =
      "{\"action\":\"replay\",\"filter\":\"status=DEAD\",\"expected\":1200}";

  private final FakeOutbox fake = new FakeOutbox();
  private final OutboxConsole console =
      OutboxConsole.builder().operator("orders", fake.operator()).port(0).build().start();
  private final TestClient client = new TestClient(console);
  private final Semaphore batches = new Semaphore(0);

  @AfterEach
  void stop() {
    batches.release(1000);
    console.close();
  }

  private void holdBatches() {
    fake.beforeChange =
        () -> {
          try {
            assertThat(batches.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
  }

  private JsonObject job(long id) {
    return client.get(JOBS).json().getAsJsonArray("jobs").asList().stream()
        .map(job -> job.getAsJsonObject())
        .filter(job -> job.get("id").getAsLong() == id)
        .findFirst()
        .orElseThrow();
  }

  private void awaitState(long id, String state) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> job(id).get("state").getAsString().equals(state));
  }

  @Test
  void aJobChangesAllThatMatchAndSaysHowFarItIs() {
    fake.addMany(1200, EventStatus.DEAD);
    holdBatches();

    TestClient.Answer begun = client.post(JOBS, REPLAY);
    assertThat(begun.status()).isEqualTo(202);
    assertThat(begun.json().get("expected").getAsLong()).isEqualTo(1200);
    batches.release();
    await().atMost(Duration.ofSeconds(60)).until(() -> job(1).get("changed").getAsLong() == 500);
    assertThat(job(1).get("state").getAsString()).isEqualTo("RUNNING");

    batches.release(2);
    awaitState(1, "FINISHED");
    assertThat(job(1).get("changed").getAsLong()).isEqualTo(1200);
    assertThat(fake.rows.values()).allMatch(row -> row.status() == EventStatus.NEW);
    assertThat(fake.audit.get(0).count()).isEqualTo(1200);
  }

  @Test
  void aJobIsStoppedAfterTheBatchItIsAt() {
    fake.addMany(1200, EventStatus.DEAD);
    holdBatches();
    client.post(JOBS, REPLAY);
    batches.release();
    await().atMost(Duration.ofSeconds(60)).until(() -> job(1).get("changed").getAsLong() == 500);

    assertThat(client.post(JOBS + "/stop", "{\"id\":1}").json().get("stopping").getAsBoolean())
        .isTrue();
    batches.release(2);

    awaitState(1, "STOPPED");
    assertThat(job(1).get("changed").getAsLong()).isEqualTo(1000);
  }

  @Test
  void aJobThatFailsSaysWhy() {
    fake.addMany(1, EventStatus.DEAD);
    fake.beforeChange =
        () -> {
          throw new IllegalStateException("deadlock");
        };
    client.post(JOBS, REPLAY);

    awaitState(1, "FAILED");
    assertThat(job(1).get("error").getAsString()).isEqualTo("deadlock");
  }

  @Test
  void moreThanAFewAreRefused() {
    fake.addMany(1, EventStatus.DEAD);
    CountDownLatch hold = new CountDownLatch(1);
    fake.beforeChange =
        () -> {
          try {
            hold.await(60, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    for (int i = 0; i < 10; i++) {
      assertThat(client.post(JOBS, REPLAY).status()).isEqualTo(202);
    }

    TestClient.Answer refused = client.post(JOBS, REPLAY);
    hold.countDown();

    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.message()).contains("stop it");
  }

  @Test
  void aFilterThatIsNotUnderstoodHitsNothing() {
    assertThat(client.post(JOBS, "{\"action\":\"purge\"}").status()).isEqualTo(400);
    assertThat(client.post(JOBS, "{\"action\":\"purge\",\"filter\":\"typ=A\"}").status())
        .isEqualTo(400);
    for (String nothing : new String[] {"&", "type=", "stuck=false", "attempts=0"}) {
      String all = "{\"action\":\"purge\",\"filter\":\"" + nothing + "\"}";
      assertThat(client.post(JOBS, all).status()).as(nothing).isEqualTo(400);
    }
    assertThat(client.post(JOBS, "{\"action\":\"explode\",\"filter\":\"type=A\"}").status())
        .isEqualTo(400);
    assertThat(client.post(JOBS + "/stop", "{\"id\":77}").status()).isEqualTo(404);
    assertThat(fake.audit).isEmpty();
  }
}
