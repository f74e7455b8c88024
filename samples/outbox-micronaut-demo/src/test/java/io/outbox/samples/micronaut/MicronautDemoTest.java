package io.outbox.samples.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MicronautDemoTest {

  @Test
  void theStoryIsTrue() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MicronautDemo.tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    String story = out.toString(StandardCharsets.UTF_8);

    assertThat(story)
        .containsPattern("delivered +A-1")
        .containsPattern("rolled back +A-2")
        .containsPattern("(?s)rolled back +B-1.*delivered +B-2.*delivered +B-3")
        .containsPattern("(?s)refused +C-2.*delivered +C-1")
        .contains("4 orders committed, 4 mails sent, once each.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
