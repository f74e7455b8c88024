package io.outbox.cli.output;

import java.io.PrintStream;
import java.time.Duration;

/** How far long work is: a bar on a screen, a line from time to time elsewhere. */
public final class Progress {

  private static final int BAR = 30;
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(5);
  private static final Duration BETWEEN_PICTURES = Duration.ofMillis(100);

  private final PrintStream err;
  private final boolean screen;
  private final int width;
  private final String what;
  private final long total;
  private final long start = System.nanoTime();
  private long shownAt = start;
  private boolean barIsShown;

  Progress(PrintStream err, Terminal terminal, String what, long total) {
    this.err = err;
    this.screen = terminal.errIsScreen();
    this.width = screen ? terminal.width() : 0;
    this.what = what;
    this.total = total;
  }

  /** So much is done; {@code lookedAt} tells that it goes on where nothing is to be done. */
  public void at(long done, long lookedAt) {
    long now = System.nanoTime();
    long pause = (screen ? BETWEEN_PICTURES : BETWEEN_LINES).toNanos();
    if (now - shownAt < pause) {
      return;
    }
    shownAt = now;
    double seconds = (now - start) / 1e9;
    String rate = Words.number(Math.round(done / seconds)) + "/s";
    String count =
        Words.number(done)
            + (total > 0
                ? " of " + Words.number(total)
                : " (" + Words.counted(lookedAt, "row") + " looked at)");
    if (screen) {
      String text = DisplayWidth.cut(what + " " + bar(done) + count + "  " + rate, width - 1);
      err.print("\r" + text + " ".repeat(Math.max(0, width - 1 - text.length())));
      err.flush();
      barIsShown = true;
    } else {
      err.println(what + " " + count + ", " + rate);
      err.flush();
    }
  }

  private String bar(long done) {
    if (total <= 0) {
      return "";
    }
    int filled = (int) Math.min(BAR, BAR * done / total);
    return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] ";
  }

  /** Makes room for what is said in the end. */
  public void end() {
    if (barIsShown) {
      err.print("\r" + " ".repeat(width - 1) + "\r");
      err.flush();
    }
  }
}
