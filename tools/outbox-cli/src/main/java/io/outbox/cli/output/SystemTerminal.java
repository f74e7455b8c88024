package io.outbox.cli.output;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The terminal of this process. */
public final class SystemTerminal implements Terminal {

  private static final int USUAL_WIDTH = 80;
  private static final Path TTY = Path.of("/dev/tty");

  private final Map<String, String> environment;
  private int width;

  public SystemTerminal(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  @Override
  public boolean outIsScreen() {
    return isScreen(1);
  }

  @Override
  public boolean errIsScreen() {
    return isScreen(2);
  }

  @Override
  public boolean canAsk() {
    return System.console() != null && isScreen(0) && isScreen(1);
  }

  /** Java tells no more than whether both input and output are a terminal; Linux tells of each. */
  private static boolean isScreen(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException notLinux) {
      return consoleIsTerminal();
    }
  }

  /** From JDK 22 on there is a console without a terminal, which has to be asked. */
  private static boolean consoleIsTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException before22) {
      return true;
    }
  }

  @Override
  public int width() {
    if (width == 0) {
      width = positive(environment.get("COLUMNS"));
      if (width == 0) {
        width = positive(sttyColumns());
      }
      if (width == 0) {
        width = USUAL_WIDTH;
      }
    }
    return width;
  }

  private static int positive(String number) {
    return number != null && number.matches("[1-9]\\d{0,4}") ? Integer.parseInt(number) : 0;
  }

  /** What {@code stty size} says in its second word; null if it is not there. */
  private static String sttyColumns() {
    if (!Files.exists(TTY)) {
      return null;
    }
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File(TTY.toString()))
              .redirectError(Redirect.DISCARD)
              .start();
      if (!stty.waitFor(1, TimeUnit.SECONDS)) {
        stty.destroy();
        return null;
      }
      String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return size.strip().replaceFirst("^\\d+ ", "");
    } catch (IOException e) {
      return null; // no stty here: the usual width will do
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public String ask(String question) {
    return System.console().readLine("%s", question);
  }

  @Override
  public char[] askSecret(String question) {
    return System.console().readPassword("%s", question);
  }
}
