package io.outbox.samples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class KafkaDemoTest {

  @Test
  void theStoryIsTrue() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    KafkaDemo.tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    String story = out.toString(StandardCharsets.UTF_8);

    assertThat(story)
        .containsPattern("committed +1,000 orders")
        .containsPattern("rolled back +50 orders")
        .containsPattern("in the topic +1,100 messages: 100 duplicates")
        .containsPattern("shipments +1,000\n")
        .contains("Each order was shipped once.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
