package io.outbox.cli.command;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.cli.output.TextTable;
import io.outbox.cli.output.TextTable.Column;
import io.outbox.cli.output.Words;
import io.outbox.operate.Overview;
import io.outbox.spi.Member;
import java.util.List;

/** The nodes of an overview, as people and scripts read them. */
final class Nodes {

  private Nodes() {}

  static TextTable table(Overview overview) {
    List<Member> doubles = overview.secondProcesses();
    TextTable shown =
        new TextTable(
            Column.text("NODE"),
            Column.fixed("MODE"),
            Column.fixed("SINCE"),
            Column.fixed("HEARD OF"),
            Column.text("STATE"));
    overview
        .members()
        .forEach(
            member ->
                shown.row(
                    member.node(),
                    member.mode(),
                    Words.time(member.startedAt()),
                    Words.time(member.beatAt()),
                    state(member, doubles)));
    return shown;
  }

  private static String state(Member member, List<Member> doubles) {
    if (!member.delivers()) {
      return "waits: nodes of another mode deliver";
    }
    return doubles.contains(member)
        ? "delivers, beside another process in a single-process mode"
        : "delivers";
  }

  static JsonArray json(Overview overview) {
    List<Member> doubles = overview.secondProcesses();
    return EventJson.array(overview.members(), member -> json(member, doubles));
  }

  private static JsonObject json(Member member, List<Member> doubles) {
    JsonObject json = new JsonObject();
    json.addProperty("node", member.node());
    json.addProperty("mode", member.mode());
    json.addProperty("delivers", member.delivers());
    json.addProperty("second", doubles.contains(member));
    json.add("startedAt", EventJson.time(member.startedAt()));
    json.add("beatAt", EventJson.time(member.beatAt()));
    return json;
  }
}
