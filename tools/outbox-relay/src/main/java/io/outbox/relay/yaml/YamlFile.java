package io.outbox.relay.yaml;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** A file of settings. */
public final class YamlFile {

  private static final int MAX_CHARACTERS = 1_048_576;
  private static final Position WHOLE = new Position(1, "");

  private YamlFile() {}

  /** The whole file as a section; empty if it cannot be read, which is among the problems then. */
  public static Optional<Section> read(Path file, Variables variables, Problems problems) {
    try (Reader reader = Files.newBufferedReader(file)) {
      return read(reader, "tables", variables, problems);
    } catch (NoSuchFileException e) {
      problems.add(WHOLE, "the file does not exist");
    } catch (IOException e) {
      problems.add(WHOLE, "the file cannot be read: " + e);
    }
    return Optional.empty();
  }

  /**
   * All of a text as a section; empty if it is none, which is among the problems then.
   *
   * @param example a setting of such texts
   */
  public static Optional<Section> read(
      Reader reader, String example, Variables variables, Problems problems) {
    LoadSettings settings =
        LoadSettings.builder().setUseMarks(true).setCodePointLimit(MAX_CHARACTERS).build();
    try {
      Optional<Node> root = new Compose(settings).composeReader(reader);
      if (root.isPresent() && root.get() instanceof MappingNode mapping) {
        return Optional.of(new Section(WHOLE, mapping, variables, problems));
      }
      problems.add(WHOLE, "the file has no settings, such as '" + example + ":'");
    } catch (MarkedYamlEngineException e) {
      problems.add(new Position(line(e.getProblemMark()), ""), "invalid YAML: " + said(e));
    } catch (YamlEngineException e) {
      problems.add(WHOLE, "invalid YAML: " + e.getMessage());
    }
    return Optional.empty();
  }

  /** The place where it is noticed may be far behind what was left open. */
  private static String said(MarkedYamlEngineException e) {
    boolean elsewhere =
        e.getContext() != null && line(e.getContextMark()) < line(e.getProblemMark());
    return e.getProblem()
        + (elsewhere ? ", " + e.getContext() + " in line " + line(e.getContextMark()) : "");
  }

  private static int line(Optional<Mark> mark) {
    return mark.map(each -> each.getLine() + 1).orElse(1);
  }
}
