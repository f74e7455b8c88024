package io.outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outbox.cli.change.BulkRun;
import io.outbox.cli.output.Output;
import io.outbox.operate.Count;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.Preview;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class BulkRunTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private String shown(Count count, boolean json) {
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Output output = new Output(stream, stream, FakeTerminal.pipe(), false, json);
    BulkRun.printPreview(new OperatorAction.Purge(), new Preview(count, List.of()), output);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void nothingFoundInTheTimeOfADryRunIsNotNothing() {
    assertThat(shown(Count.atLeast(0), false))
        .contains("purge would change 0 events or more.")
        .contains("purge itself looks at all rows");
  }

  @Test
  void nothingIsNothingWhenAllWasLookedAt() {
    assertThat(shown(Count.exactly(0), false)).isEqualTo("purge would change 0 events.\n");
  }

  @Test
  void aScriptLearnsHowExactTheCountIs() {
    JsonObject json = JsonParser.parseString(shown(Count.atLeast(0), true)).getAsJsonObject();

    assertThat(json.get("wouldChange").getAsLong()).isZero();
    assertThat(json.get("precision").getAsString()).isEqualTo("AT_LEAST");
  }
}
