package io.outbox.console.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outbox.operate.ActionProgress;
import org.junit.jupiter.api.Test;

class JobTest {

  private static Job job(Job.Work work) {
    Job.Which which = new Job.Which("type=A", "type=A", "here");
    return new Job(1, new Job.Order("archive replay", null, which, 0, "ann", work), told -> {});
  }

  private static String nextOf(Job job) {
    JsonObject json = job.toJson();
    return json.get("next").isJsonNull() ? null : json.get("next").getAsString();
  }

  @Test
  void aJobThatEndedEarlySaysWhereAnotherContinues() {
    Job job = job(progress -> new Job.End(new ActionProgress(2, 2, false), "there"));
    assertThat(nextOf(job)).isNull();

    job.run();

    assertThat(nextOf(job)).isEqualTo("there");
  }

  @Test
  void aJobThatIsThroughHasNothingToContinue() {
    Job job = job(progress -> new Job.End(new ActionProgress(2, 2, true), null));

    job.run();

    assertThat(nextOf(job)).isNull();
  }

  @Test
  void aJobThatWasStoppedBeforeItsTurnOrFailedContinuesWhereItBegan() {
    Job stopped = job(progress -> new Job.End(new ActionProgress(2, 2, true), null));
    stopped.stop();
    stopped.run();
    Job failed =
        job(
            progress -> {
              throw new IllegalStateException("deadlock");
            });
    failed.run();

    assertThat(nextOf(stopped)).isEqualTo("here");
    assertThat(nextOf(failed)).isEqualTo("here");
  }
}
