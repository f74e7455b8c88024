package io.outbox.cli.command;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.cli.output.Words;
import io.outbox.operate.EventPage;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which page of a list of events, and how it is told that there is more. */
public final class PageOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many events at most, up to 1000. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--after",
      paramLabel = "CURSOR",
      description = "Continue after the last page, with the value it printed.")
  private String after;

  public int limit() {
    if (limit < 1 || limit > 1000) {
      throw new ParameterException(
          command.commandLine(), "--limit must be between 1 and 1000, not " + limit);
    }
    return limit;
  }

  /** Null for the first page. */
  public String after() {
    return after;
  }

  /** What comes behind a page; {@code rows} were looked at. */
  public static String end(EventPage page, String rows) {
    String found =
        (page.events().isEmpty() ? "No event" : Words.events(page.events().size()))
            + (page.scanLimited()
                ? " among the %s %s looked at".formatted(Words.number(page.scanned()), rows)
                : "");
    if (page.next() == null) {
      return found + (page.events().isEmpty() ? " matches." : ", no more.");
    }
    return found + "; for more, repeat it with --after " + page.next();
  }

  public static JsonObject json(EventPage page, JsonArray events) {
    JsonObject json = new JsonObject();
    json.add("events", events);
    json.addProperty("next", page.next());
    json.addProperty("scanned", page.scanned());
    json.addProperty("scanLimited", page.scanLimited());
    return json;
  }
}
