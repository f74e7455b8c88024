package io.outbox.cli.output;

import com.google.gson.JsonElement;
import io.outbox.util.Printable;
import java.io.PrintStream;
import java.util.Objects;

/**
 * The output of a command: its result on the standard output, as text or JSON, and notes on the
 * standard error. Callers make text of an event {@linkplain Printable harmless}; tables and JSON do
 * so by themselves.
 */
public final class Output {

  private static final String REDRAW = "\u001b[H\u001b[J";

  private final PrintStream out;
  private final PrintStream err;
  private final Terminal terminal;
  private final boolean color;
  private final boolean json;

  public Output(PrintStream out, PrintStream err, Terminal terminal, boolean color, boolean json) {
    this.out = Objects.requireNonNull(out, "out");
    this.err = Objects.requireNonNull(err, "err");
    this.terminal = Objects.requireNonNull(terminal, "terminal");
    this.color = color && terminal.outIsScreen();
    this.json = json;
  }

  /** Whether the result is wanted as JSON. */
  public boolean isJson() {
    return json;
  }

  public Terminal terminal() {
    return terminal;
  }

  /** A line of the result. */
  public void line(String text) {
    out.println(text);
    out.flush();
  }

  /** A line of the result in a style. */
  public void line(Style style, String text) {
    line(styled(style, text));
  }

  public void table(TextTable table) {
    int width = terminal.outIsScreen() ? terminal.width() : Integer.MAX_VALUE;
    table.lines(width, color).forEach(this::line);
  }

  /** The result, indented. */
  public void json(JsonElement document) {
    line(JsonText.indented(document));
  }

  /** One of many results, in one line. */
  public void jsonLine(JsonElement document) {
    line(JsonText.oneLine(document));
  }

  /** The result exactly as it is, for a pipe or a file. */
  public void verbatim(byte[] result) {
    out.writeBytes(result);
    out.flush();
  }

  /** Clears the screen for the next picture; in a pipe, an empty line. */
  public void nextPicture() {
    if (terminal.outIsScreen()) {
      out.print(REDRAW);
      out.flush();
    } else {
      line("");
    }
  }

  /** Something worth knowing that is not the result. */
  public void note(String text) {
    err.println(text);
    err.flush();
  }

  public String styled(Style style, String text) {
    return color ? style.apply(text) : text;
  }

  public Progress progress(String what, long total) {
    return new Progress(err, terminal, what, total);
  }
}
