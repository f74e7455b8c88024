package io.outbox.samples.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SubscriptionsDemoTest {

  @Test
  void theStoryIsTrue() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SubscriptionsDemo.tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    String story = out.toString(StandardCharsets.UTF_8);

    assertThat(story)
        .containsPattern("kafka +200 messages")
        .containsPattern("send-mail +200 mails")
        .containsPattern("webhook +200 copies are DEAD")
        .contains("Every subscription has every event, once.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
