package io.outbox.samples.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SqlLibrariesDemoTest {

  @Test
  void theStoryIsTrue() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SqlLibrariesDemo.tell(new PrintStream(out, true, StandardCharsets.UTF_8));
    String story = out.toString(StandardCharsets.UTF_8);

    assertThat(story)
        .containsPattern("delivered +J-1")
        .containsPattern("rolled back +J-2")
        .containsPattern("(?s)rolled back +J-3-gift.*delivered +J-3")
        .containsPattern("delivered +M-1")
        .containsPattern("rolled back +M-2")
        .containsPattern("(?s)rolled back +M-3-gift.*delivered +M-3")
        .contains("4 orders committed, 4 events delivered, once each.");
    assertThat(story.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
  }
}
