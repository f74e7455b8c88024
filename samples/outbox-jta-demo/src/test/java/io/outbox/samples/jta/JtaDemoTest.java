package io.outbox.samples.jta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JtaDemoTest {

  @Test
  void theStoryIsTrue() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JtaDemo.tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    String story = out.toString(StandardCharsets.UTF_8);

    assertThat(story)
        .containsPattern("delivered +A-1")
        .containsPattern("rolled back +A-2")
        .containsPattern("rolled back +A-3")
        .containsPattern("(?s)delivered +B-2.*delivered +B-1")
        .containsPattern("timed out +C-1")
        .contains("3 orders committed, 3 events delivered, once each.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
